import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { DeleteTarget } from "../interfaces/vector-store.js";
import type { VectorLocation } from "../providers/vectors.js";
import { embeddingField, maskedNames, type SealedField } from "../secrets/config-secrets.js";
import { unsealValues } from "../secrets/sealed-values.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, Namespace, Reembedding, Scope, VectorStoreConfig } from "../types.js";
import type { Engine } from "./engine.js";

type Owner = Pick<Scope, "organizationId" | "namespaceId">;

/** An embedding model of a namespace, and the set of vectors that it has embedded. */
export type EmbeddingModel = Pick<Namespace, "embeddingConfig" | "vectorSet">;

/**
 * Returns the embedder of one of a namespace's models.
 * @throws KnowledgeBaseError `not_ready` if the master key that sealed the namespace's secrets is not available
 */
export async function embedderOf(
  engine: Engine,
  owner: Owner,
  { embeddingConfig, vectorSet }: EmbeddingModel,
): Promise<Embedder> {
  const config = await unsealConfig(engine, owner, embeddingField(vectorSet), embeddingConfig);
  return engine.drivers.openEmbedder(config);
}

/** Returns the model whose vectors searches don't use. @throws KnowledgeBaseError `not_found` if there is none */
export async function otherModelOf(engine: Engine, namespaceId: string): Promise<Reembedding> {
  const reembedding = await engine.storage.reembeddings.get({ namespaceId });
  if (!reembedding || reembedding.state === "discarding") throw notFound("reembedding", namespaceId);
  return reembedding;
}

/**
 * Returns where the vectors of a namespace are stored: in its vector store or in the search index.
 * @throws KnowledgeBaseError the same errors as {@link embedderOf}
 */
export async function vectorLocationOf(
  engine: Engine,
  owner: Owner,
  config: VectorStoreConfig,
): Promise<VectorLocation> {
  return engine.drivers.locateVectors(await unsealConfig(engine, owner, "vectorStoreConfig", config));
}

/** Deletes the targeted vectors of a scope from its vector store or from the search index. */
export async function deleteVectors(
  engine: Engine,
  vectors: VectorLocation,
  scope: Scope,
  target: DeleteTarget,
  options: CallOptions,
): Promise<void> {
  if (vectors.kind === "store") return vectors.store.delete(scope, target, options);
  return engine.storage.index.removeVectors(scope, target, options);
}

/** Replaces the masks in a stored configuration with the secrets. Reads nothing if no field is masked. */
async function unsealConfig<Config extends object>(
  engine: Engine,
  { organizationId, namespaceId }: Owner,
  field: SealedField,
  config: Config,
): Promise<Config> {
  const names = maskedNames(config);
  if (names.length === 0) return config;
  const owner = { organizationId, namespaceId, ownerId: namespaceId };
  const fields = names.map((name) => `${field}.${name}`);
  const values = await unsealValues(engine, owner, fields);
  const missing = fields.find((name) => !values.has(name));
  if (missing)
    throw new KnowledgeBaseError("internal", `The secret ${missing} of ${namespaceId} is missing from the database.`);
  return { ...config, ...Object.fromEntries(names.map((name) => [name, JSON.parse(values.get(`${field}.${name}`)!)])) };
}
