import { isDeepStrictEqual } from "node:util";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { type ConfigField, maskedNames, maskSecret, sealedField } from "../secrets/config-secrets.js";
import { unsealValues } from "../secrets/sealed-values.js";
import type { Namespace } from "../types.js";
import { preview } from "../util/preview.js";
import type { UnknownKeys } from "../validation/normalize-keys.js";

type Config = { readonly provider: string; readonly [key: string]: unknown };
type Configs = { readonly [Field in ConfigField]?: Config | undefined };

/**
 * Compares the given configurations, with defaults filled in, with the configurations of an existing namespace.
 * @throws KnowledgeBaseError `conflict` if a configuration differs, `invalid_input` if a configuration is not valid
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
      given.embeddingConfig && findDifferences(engine, namespace, "embeddingConfig", given.embeddingConfig),
      given.vectorStoreConfig && findDifferences(engine, namespace, "vectorStoreConfig", given.vectorStoreConfig),
    ])
  ).flatMap((found) => found ?? []);
  if (differences.length === 0) return;
  throw new KnowledgeBaseError(
    "conflict",
    `The namespace ${JSON.stringify(namespace.slug)} exists with another configuration: ${differences.join("; ")}. ` +
      "Use the stored ones, change them by a re-embedding, or create a namespace with another slug.",
  );
}

/** Describes each field that differs, with its stored and given values unless they are secrets. */
async function findDifferences(
  engine: Engine,
  namespace: Namespace,
  field: ConfigField,
  given: Config,
): Promise<readonly string[]> {
  const masked: Config = namespace[field];
  if (masked.provider !== given.provider)
    return [describeDifference(`${field}.provider`, masked.provider, given.provider)];
  const { drivers } = engine;
  const isEmbedding = field === "embeddingConfig";
  const secrets = isEmbedding ? drivers.embeddingSecrets(given) : drivers.vectorStoreSecrets(given);
  const completed = isEmbedding ? drivers.completedFields(given) : [];
  const unsealed = await unsealConfig(engine, namespace, field, masked);
  // A configuration stored by an earlier version may lack fields that now have a default.
  const check = (config: Config): Config =>
    isEmbedding ? drivers.checkEmbedding(config, "ignore") : drivers.checkVectorStore(config, "ignore");
  const stored = unsealed ? check(unsealed) : masked;
  const names = new Set([...Object.keys(stored), ...Object.keys(given)]);
  return [...names].flatMap((name) => {
    if (completed.includes(name) && given[name] === undefined) return [];
    const isMasked = !unsealed && maskedNames(masked).includes(name);
    if (isDeepStrictEqual(stored[name], isMasked ? maskSecret(given[name]) : given[name])) return [];
    const path = `${field}.${name}`;
    return secrets.includes(name)
      ? [`${path} differs from the given value`]
      : [describeDifference(path, stored[name], given[name])];
  });
}

function describeDifference(path: string, stored: unknown, given: unknown): string {
  const format = (value: unknown) => (value === undefined ? "not set" : preview(value));
  return `${path} is ${format(stored)}, but ${format(given)} was given`;
}

/** Returns a stored configuration with its secrets; `null` if this process lacks the master key that sealed them. */
async function unsealConfig(
  engine: Engine,
  { id: namespaceId, organizationId, vectorSet }: Namespace,
  field: ConfigField,
  masked: Config,
): Promise<Config | null> {
  const names = maskedNames(masked);
  if (names.length === 0) return masked;
  const sealed = sealedField(field, vectorSet);
  const fields = names.map((name) => `${sealed}.${name}`);
  try {
    const values = await unsealValues(engine, { organizationId, namespaceId, ownerId: namespaceId }, fields);
    const secrets = names.flatMap((name) => {
      const value = values.get(`${sealed}.${name}`);
      return value === undefined ? [] : [[name, JSON.parse(value)] as const];
    });
    return { ...masked, ...Object.fromEntries(secrets) };
  } catch (error) {
    if (KnowledgeBaseError.is(error, "not_ready")) return null;
    throw error;
  }
}
