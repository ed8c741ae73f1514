import type { Engine } from "../engine/engine.js";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { VectorLocation } from "../providers/vectors.js";
import type { CallOptions, EmbeddingConfig, VectorStoreConfig } from "../types.js";

const CONFIG_FIELD = "vectorStoreConfig";

/**
 * Opens the vector store of a new namespace, and asks the store's service whether it accepts the API key and the
 * embedder's dimensions. If the service can't be reached, only a `warning` event is emitted.
 *
 * @throws KnowledgeBaseError `invalid_input` if the service refuses the key or the dimensions, and the errors of
 * opening the store
 */
export async function checkVectorStore(
  engine: Engine,
  configs: { readonly vectorStore: VectorStoreConfig; readonly embedding: EmbeddingConfig },
  { signal }: CallOptions,
): Promise<void> {
  const vectors = await openVectors(engine, configs.vectorStore);
  if (vectors.kind === "index" || !vectors.store.check) return;
  const { store } = vectors;
  const { dimensions } = await engine.drivers.openEmbedder(configs.embedding);
  try {
    await store.check?.(dimensions, { signal });
  } catch (error) {
    const hostField = engine.drivers.unusableHostField(configs.vectorStore, error);
    if (!isServiceFailure(error) || !error.retryable || hostField !== null) {
      engine.drivers.forgetVectorStore(configs.vectorStore);
      throw isServiceFailure(error)
        ? invalidConfigError(error, hostField === null ? CONFIG_FIELD : `${CONFIG_FIELD}.${hostField}`)
        : error;
    }
    const message = `The vector store ${store.provider} could not be tested, so its vectorStoreConfig was not checked: ${error.message}`;
    engine.events.emit({ type: "warning", message });
  }
}

/**
 * Opens a vector store. The error for a missing driver is retryable for queued work, because another process may have
 * the driver. But a new namespace needs the driver now, so here the error becomes `invalid_input`.
 */
async function openVectors(engine: Engine, config: VectorStoreConfig): Promise<VectorLocation> {
  try {
    return await engine.drivers.locateVectors(config);
  } catch (error) {
    if (KnowledgeBaseError.is(error, "not_ready") && error.retryable) throw invalidConfigError(error, CONFIG_FIELD);
    // Otherwise the error would be mistaken for a failure of the embedder.
    if (KnowledgeBaseError.is(error, "provider_failed")) {
      throw new KnowledgeBaseError("store_failed", error.message, { cause: error, retryable: error.retryable });
    }
    throw error;
  }
}

/** Returns whether a store's service failed. Errors of the `fetch` that stores are given are `provider_failed`. */
function isServiceFailure(error: unknown): error is KnowledgeBaseError {
  return KnowledgeBaseError.is(error, "store_failed") || KnowledgeBaseError.is(error, "provider_failed");
}

function invalidConfigError(cause: unknown, field: string): KnowledgeBaseError {
  const message = getErrorMessage(cause);
  return new KnowledgeBaseError("invalid_input", `${field}: ${message}`, {
    issues: [{ field, message, reference: true }],
    cause,
  });
}
