import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import { type ConfigField, maskedNames } from "../secrets/config-secrets.js";
import { openValues } from "../secrets/sealed-values.js";
import type { EmbeddingConfig, Scope, VectorStoreConfig } from "../types.js";
import type { Engine } from "./engine.js";

type Owner = Pick<Scope, "organizationId" | "namespaceId">;

/** The embedder of a namespace, from its stored configuration. @throws KnowledgeBaseError `not_ready` without the key of its secrets */
export async function embedderOf(engine: Engine, owner: Owner, config: EmbeddingConfig): Promise<Embedder> {
  return engine.drivers.embedder(await opened(engine, owner, "embeddingConfig", config));
}

/** The vector store of a namespace, likewise. */
export async function vectorStoreOf(engine: Engine, owner: Owner, config: VectorStoreConfig): Promise<VectorStore> {
  return engine.drivers.vectorStore(await opened(engine, owner, "vectorStoreConfig", config));
}

/** A stored configuration with the secrets that its masks stand for. Most have none, and ask nothing. */
async function opened<Config extends object>(
  engine: Engine,
  { organizationId, namespaceId }: Owner,
  field: ConfigField,
  config: Config,
): Promise<Config> {
  const names = maskedNames(config);
  if (names.length === 0) return config;
  const owner = { organizationId, namespaceId, owner: namespaceId };
  const fields = names.map((name) => `${field}.${name}`);
  const values = await openValues(engine, owner, fields);
  const missing = fields.find((name) => !values.has(name));
  if (missing) throw new KnowledgeBaseError("internal", `${missing} of ${namespaceId} is not in the database.`);
  return { ...config, ...Object.fromEntries(names.map((name) => [name, JSON.parse(values.get(`${field}.${name}`)!)])) };
}
