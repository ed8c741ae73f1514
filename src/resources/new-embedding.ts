import type { Engine } from "../engine/engine.js";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { EmbeddingConfig } from "../types.js";
import type { UnknownKeys } from "../validation/normalize-keys.js";

const STATIC = { provider: "MANAGED_STATIC" };
const LOCAL_TRANSFORMERS = { provider: "MANAGED_TRANSFORMERS" };

/** Checks and returns a configuration that the caller has chosen, which is never replaced by another. */
export async function checkNamedEmbedding(
  engine: Engine,
  config: { provider: string },
  unknownKeys: UnknownKeys,
): Promise<EmbeddingConfig> {
  return probe(engine, engine.drivers.checkEmbedding(config, unknownKeys));
}

/** Returns the engine's default configuration; if it is local and can't be loaded, warns and returns the static one. */
export async function chooseDefaultEmbedding(engine: Engine): Promise<EmbeddingConfig> {
  const checked = engine.drivers.checkEmbedding(engine.options.defaultEmbedding ?? LOCAL_TRANSFORMERS);
  try {
    return await probe(engine, checked);
  } catch (cause) {
    if (checked.provider !== LOCAL_TRANSFORMERS.provider) throw cause;
    engine.events.warn(fallbackWarning(cause));
    return engine.drivers.checkEmbedding(STATIC);
  }
}

/** Tests an embedder. If the vendor can't be reached, only warns: it may be reachable once there is text to embed. */
async function probe(engine: Engine, config: EmbeddingConfig): Promise<EmbeddingConfig> {
  try {
    return await engine.drivers.probeEmbedder(config);
  } catch (error) {
    if (!KnowledgeBaseError.is(error, "provider_failed") || !error.retryable) throw error;
    const message = `The namespace's embedder could not be tested, so its embeddingConfig was not checked: ${error.message}`;
    engine.events.emit({ type: "warning", message });
    return config;
  }
}

/** Returns the warning, which includes the error's message. For a missing package it says how to install it. */
function fallbackWarning(cause: unknown): string {
  const isMissing = KnowledgeBaseError.is(cause, "unsupported");
  const reason = isMissing
    ? `. ${cause.message}`
    : `, because local transformer embeddings could not be loaded: ${getErrorMessage(cause)}`;
  return `The namespace uses MANAGED_STATIC embeddings${reason}`;
}
