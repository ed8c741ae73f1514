import { isDeepStrictEqual } from "node:util";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { type ConfigField, maskedNames, maskSecret } from "../secrets/config-secrets.js";
import { unsealValues } from "../secrets/sealed-values.js";
import type { Namespace } from "../types.js";
import { preview } from "../util/preview.js";
import type { UnknownKeys } from "../validation/normalize-keys.js";

type Config = { readonly provider: string; readonly [key: string]: unknown };
type Configs = { readonly [Field in ConfigField]?: Config | undefined };

/**
 * Compares the configurations that a caller gives with those of an existing namespace, defaults filled in.
 * @throws KnowledgeBaseError `conflict` if one differs, `invalid_input` for one that is not valid
 */
export async function requireSameConfigs(
  engine: Engine,
  namespace: Namespace,
  { embeddingConfig, vectorStoreConfig }: Configs,
  unknownKeys: UnknownKeys,
): Promise<void> {
  const { drivers } = engine;
  const given: Configs = {
    ...(embeddingConfig && { embeddingConfig: drivers.checkEmbedding(embeddingConfig, unknownKeys) }),
    ...(vectorStoreConfig && { vectorStoreConfig: drivers.checkVectorStore(vectorStoreConfig, unknownKeys) }),
  };
  const differences = (
    await Promise.all([
      given.embeddingConfig && differencesOf(engine, namespace, "embeddingConfig", given.embeddingConfig),
      given.vectorStoreConfig && differencesOf(engine, namespace, "vectorStoreConfig", given.vectorStoreConfig),
    ])
  ).flatMap((found) => found ?? []);
  if (differences.length === 0) return;
  throw new KnowledgeBaseError(
    "conflict",
    `The namespace ${JSON.stringify(namespace.slug)} exists with another configuration: ${differences.join("; ")}. ` +
      "A namespace's configurations never change: give those that it has, or create a namespace with another slug.",
  );
}

/** Each field that differs, with both values; of secrets neither is shown. */
async function differencesOf(
  engine: Engine,
  namespace: Namespace,
  field: ConfigField,
  given: Config,
): Promise<readonly string[]> {
  const masked: Config = namespace[field];
  if (masked.provider !== given.provider) return [difference(`${field}.provider`, masked.provider, given.provider)];
  const { drivers } = engine;
  const isEmbedding = field === "embeddingConfig";
  const secrets = isEmbedding ? drivers.embeddingSecrets(given) : drivers.vectorStoreSecrets(given);
  const completed = isEmbedding ? drivers.completedFields(given) : [];
  const opened = await openedConfig(engine, namespace, field, masked);
  // One that was stored by an earlier version may lack what has a default by now.
  const check = (config: Config): Config =>
    isEmbedding ? drivers.checkEmbedding(config, "ignore") : drivers.checkVectorStore(config, "ignore");
  const stored = opened ? check(opened) : masked;
  const names = new Set([...Object.keys(stored), ...Object.keys(given)]);
  return [...names].flatMap((name) => {
    if (completed.includes(name) && given[name] === undefined) return [];
    const hidden = !opened && maskedNames(masked).includes(name);
    if (isDeepStrictEqual(stored[name], hidden ? maskSecret(given[name]) : given[name])) return [];
    const path = `${field}.${name}`;
    return secrets.includes(name) ? [`${path} is not the one given`] : [difference(path, stored[name], given[name])];
  });
}

function difference(path: string, stored: unknown, given: unknown): string {
  const shown = (value: unknown) => (value === undefined ? "not set" : preview(value));
  return `${path} is ${shown(stored)}, given was ${shown(given)}`;
}

/** A stored configuration with its secrets; `null` if this process lacks the master key that they are sealed under. */
async function openedConfig(
  engine: Engine,
  { id: namespaceId, organizationId }: Namespace,
  field: ConfigField,
  masked: Config,
): Promise<Config | null> {
  const names = maskedNames(masked);
  if (names.length === 0) return masked;
  const fields = names.map((name) => `${field}.${name}`);
  try {
    const values = await unsealValues(engine, { organizationId, namespaceId, ownerId: namespaceId }, fields);
    const secrets = names.flatMap((name) => {
      const value = values.get(`${field}.${name}`);
      return value === undefined ? [] : [[name, JSON.parse(value)] as const];
    });
    return { ...masked, ...Object.fromEntries(secrets) };
  } catch (error) {
    if (KnowledgeBaseError.is(error, "not_ready")) return null;
    throw error;
  }
}
