import type { z } from "zod";
import { newId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { indexedVectors } from "../providers/vectors.js";
import { sealConfig } from "../secrets/config-secrets.js";
import { readOnlyError } from "../storage/read-only-error.js";
import type { NewNamespace } from "../storage/records/namespaces.js";
import type { SealedRow } from "../storage/records/sealed-values.js";
import type { CallOptions } from "../types.js";
import type { createNamespaceSchema } from "../validation/namespace-schema.js";
import type { UnknownKeys } from "../validation/normalize-keys.js";
import { checkVectorStore } from "./check-vector-store.js";
import { checkNamedEmbedding, chooseDefaultEmbedding } from "./new-embedding.js";

/** Checks the configurations of a new namespace, and returns its record and its sealed secrets. */
export async function prepareNamespace(
  engine: Engine,
  organizationId: string,
  { name, slug, ...configs }: z.output<typeof createNamespaceSchema>,
  { unknownKeys, signal }: CallOptions & { readonly unknownKeys: UnknownKeys },
): Promise<{ readonly namespace: NewNamespace; readonly sealed: readonly SealedRow[] }> {
  // Before an embedder is loaded or a vendor is called.
  if (engine.options.readOnly) throw readOnlyError("namespaces.create");
  const { drivers, secrets } = engine;
  const vectorStoreConfig = drivers.checkVectorStore(
    configs.vectorStoreConfig ?? { provider: indexedVectors.provider },
    unknownKeys,
  );
  const embeddingConfig = configs.embeddingConfig
    ? await checkNamedEmbedding(engine, configs.embeddingConfig, unknownKeys)
    : await chooseDefaultEmbedding(engine);
  await checkVectorStore(engine, { vectorStore: vectorStoreConfig, embedding: embeddingConfig }, { signal });
  const id = newId("ns");
  const owner = { organizationId, namespaceId: id, ownerId: id };
  const embedding = sealConfig(embeddingConfig, drivers.embeddingSecrets(embeddingConfig), {
    secrets,
    owner,
    field: "embeddingConfig",
  });
  const vectorStore = sealConfig(vectorStoreConfig, drivers.vectorStoreSecrets(vectorStoreConfig), {
    secrets,
    owner,
    field: "vectorStoreConfig",
  });
  const namespace = {
    id,
    organizationId,
    name,
    slug,
    embeddingConfig: embedding.masked,
    vectorStoreConfig: vectorStore.masked,
    now: engine.now(),
  };
  const sealed = [...embedding.sealed, ...vectorStore.sealed].map((value) => ({
    ...value,
    namespaceId: id,
    ownerId: id,
  }));
  return { namespace, sealed };
}
