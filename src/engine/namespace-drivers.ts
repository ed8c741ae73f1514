import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { DeleteTarget } from "../interfaces/vector-store.js";
import { type VectorLocation, withVectorSet } from "../providers/vectors.js";
import { type ConfigField, maskedNames, sealedField } from "../secrets/config-secrets.js";
import { unsealValues } from "../secrets/sealed-values.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, Namespace, Reembedding, Scope } from "../types.js";
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
  const config = await unsealConfig(engine, owner, "embeddingConfig", { config: embeddingConfig, vectorSet });
  return engine.drivers.openEmbedder(config);
}

/**
 * Returns the set of vectors that searches don't use.
 * @throws KnowledgeBaseError `not_found` if there is none, or it is being discarded
 */
export async function otherSetOf(engine: Engine, namespaceId: string): Promise<Reembedding> {
  const reembedding = await engine.storage.reembeddings.get({ namespaceId });
  if (!reembedding || reembedding.state === "discarding") throw notFound("reembedding", namespaceId);
  return reembedding;
}

/**
 * Returns where a set of vectors of a namespace is: in its vector store or in the search index.
 * @throws KnowledgeBaseError the same errors as {@link embedderOf}
 */
export async function vectorLocationOf(
  engine: Engine,
  owner: Owner,
  { vectorStoreConfig, vectorSet }: Pick<Namespace, "vectorStoreConfig" | "vectorSet">,
): Promise<VectorLocation> {
  const config = await unsealConfig(engine, owner, "vectorStoreConfig", { config: vectorStoreConfig, vectorSet });
  return withVectorSet(await engine.drivers.locateVectors(config), vectorSet);
}

/**
 * Returns where all sets of vectors of a namespace are, which may be deleted.
 * @param options.withDiscarded Whether to include the store of a set that is being discarded. Without it, deletions don't
 *   need that store's service, and the discard empties it.
 */
export async function allVectorLocationsOf(
  engine: Engine,
  { namespaceId, organizationId }: Owner,
  { withDiscarded }: { readonly withDiscarded: boolean },
): Promise<readonly VectorLocation[]> {
  const owner = { organizationId, namespaceId };
  const sets = await engine.storage.namespaces.listVectorSets({ namespaceId, withDiscarded });
  return Promise.all(sets.map((set) => vectorLocationOf(engine, owner, set)));
}

/** Deletes the targeted vectors of a scope from the vector stores and the search index of all its sets. */
export async function deleteVectors(
  engine: Engine,
  locations: readonly VectorLocation[],
  scope: Scope,
  target: DeleteTarget,
  options: CallOptions,
): Promise<void> {
  for (const location of locations) if (location.kind === "store") await location.store.delete(scope, target, options);
  if (locations.some(({ kind }) => kind === "index")) await engine.storage.index.removeVectors(scope, target, options);
}

/** Replaces the masks in a stored configuration of a set with the secrets. Reads nothing if no field is masked. */
export async function unsealConfig<Config extends object>(
  engine: Engine,
  { organizationId, namespaceId }: Owner,
  configField: ConfigField,
  { config, vectorSet }: { readonly config: Config; readonly vectorSet: number },
): Promise<Config> {
  const names = maskedNames(config);
  if (names.length === 0) return config;
  const owner = { organizationId, namespaceId, ownerId: namespaceId };
  const field = sealedField(configField, vectorSet);
  const fields = names.map((name) => `${field}.${name}`);
  const values = await unsealValues(engine, owner, fields);
  const missing = fields.find((name) => !values.has(name));
  if (missing)
    throw new KnowledgeBaseError("internal", `The secret ${missing} of ${namespaceId} is missing from the database.`);
  return { ...config, ...Object.fromEntries(names.map((name) => [name, JSON.parse(values.get(`${field}.${name}`)!)])) };
}
