import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { EmbeddingConfig } from "../types.js";
import type { UnknownKeys } from "../validation/normalize-keys.js";

const STATIC = { provider: "MANAGED_STATIC" };
const LOCAL_TRANSFORMERS = { provider: "MANAGED_TRANSFORMERS" };

/** Checks a configuration that the caller has chosen: it is used or refused, never replaced. */
export async function checkNamedEmbedding(
  engine: Engine,
  config: { provider: string },
  unknownKeys: UnknownKeys,
): Promise<EmbeddingConfig> {
  return probe(engine, engine.drivers.checkEmbedding(config, unknownKeys));
}

/** Returns the engine's default. Warns and returns the static embedder if it can't be loaded and is local. */
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

/** Warns if the vendor can't be reached: it may be reachable once there is something to embed. */
async function probe(engine: Engine, config: EmbeddingConfig): Promise<EmbeddingConfig> {
  try {
    return await engine.drivers.probeEmbedder(config);
  } catch (error) {
    if (!KnowledgeBaseError.is(error, "provider_failed") || !error.retryable) throw error;
    const message = `The namespace's embedder could not be tested, so its embeddingConfig is used without a check: ${error.message}`;
    engine.events.emit({ type: "warning", message });
    return config;
  }
}

/** If the package is missing, the error's message says how to install it. */
function fallbackWarning(cause: unknown): string {
  const isMissing = KnowledgeBaseError.is(cause, "unsupported");
  const reason = isMissing
    ? `. ${cause.message}`
    : `, because local transformer embeddings could not be loaded: ${messageOf(cause)}`;
  return `The namespace uses MANAGED_STATIC embeddings${reason}`;
}
