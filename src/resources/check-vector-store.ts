import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { VectorLocation } from "../providers/vectors.js";
import type { CallOptions, EmbeddingConfig, VectorStoreConfig } from "../types.js";

const FIELD = "vectorStoreConfig";

/**
 * Opens the vector store of a new namespace, and asks its service whether it accepts the API key and the embedder's
 * dimensions. If the service can't be reached, the namespace is still created, with a `warning` event.
 *
 * @throws KnowledgeBaseError `invalid_input` if the service refuses either, and the errors of opening the store
 */
export async function checkVectorStore(
  engine: Engine,
  configs: { readonly vectorStore: VectorStoreConfig; readonly embedding: EmbeddingConfig },
  { signal }: CallOptions,
): Promise<void> {
  const vectors = await openVectors(engine, configs.vectorStore);
  if (vectors.kind === "index" || !vectors.store.check) return;
  const { store } = vectors;
  const { dimensions } = await engine.drivers.embedder(configs.embedding);
  try {
    await store.check?.(dimensions, { signal });
  } catch (error) {
    const hostField = engine.drivers.unusableHostField(configs.vectorStore, error);
    if (!isServiceFailure(error) || !error.retryable || hostField !== null) {
      engine.drivers.forgetVectorStore(configs.vectorStore);
      throw isServiceFailure(error) ? refusal(error, hostField === null ? FIELD : `${FIELD}.${hostField}`) : error;
    }
    const message = `The vector store ${store.provider} could not be asked whether it accepts a new namespace's configuration: ${error.message}`;
    engine.events.emit({ type: "warning", message });
  }
}

/**
 * A driver that this process lacks may exist in another, so this error is retryable for queued work. A new namespace
 * needs the driver now.
 */
async function openVectors(engine: Engine, config: VectorStoreConfig): Promise<VectorLocation> {
  try {
    return await engine.drivers.vectors(config);
  } catch (error) {
    if (KnowledgeBaseError.is(error, "not_ready") && error.retryable) throw refusal(error, FIELD);
    // Otherwise it would be mistaken for a failure of the embedder.
    if (KnowledgeBaseError.is(error, "provider_failed")) {
      throw new KnowledgeBaseError("store_failed", error.message, { cause: error, retryable: error.retryable });
    }
    throw error;
  }
}

/** Includes failures of the fetch function that the store is given. */
function isServiceFailure(error: unknown): error is KnowledgeBaseError {
  return KnowledgeBaseError.is(error, "store_failed") || KnowledgeBaseError.is(error, "provider_failed");
}

function refusal(cause: unknown, field: string): KnowledgeBaseError {
  const message = messageOf(cause);
  return new KnowledgeBaseError("invalid_input", `${field}: ${message}`, {
    issues: [{ field, message, reference: true }],
    cause,
  });
}
