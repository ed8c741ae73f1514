import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { EmbeddingConfig } from "../types.js";
import type { UnknownKeys } from "../validation/normalize-keys.js";

const OFFLINE = { provider: "MANAGED_STATIC" };
const LOCAL_TRANSFORMERS = { provider: "MANAGED_TRANSFORMERS" };

/** A configuration that the caller chose is used or refused, never replaced. */
export async function namedEmbedding(
  engine: Engine,
  config: { provider: string },
  unknownKeys: UnknownKeys,
): Promise<EmbeddingConfig> {
  return tried(engine, engine.drivers.checkEmbedding(config, unknownKeys));
}

/** The engine's default; if that is a local model which can't be loaded, the static embedder, with a warning. */
export async function defaultEmbedding(engine: Engine): Promise<EmbeddingConfig> {
  const checked = engine.drivers.checkEmbedding(engine.options.defaultEmbedding ?? LOCAL_TRANSFORMERS);
  try {
    return await tried(engine, checked);
  } catch (cause) {
    if (checked.provider !== LOCAL_TRANSFORMERS.provider) throw cause;
    engine.events.warn(fallbackWarning(cause));
    return engine.drivers.checkEmbedding(OFFLINE);
  }
}

/** A vendor that can't be reached now may be by the time that there is something to embed. */
async function tried(engine: Engine, config: EmbeddingConfig): Promise<EmbeddingConfig> {
  try {
    return await engine.drivers.probeEmbedder(config);
  } catch (error) {
    if (!KnowledgeBaseError.is(error, "provider_failed") || !error.retryable) throw error;
    const message = `The namespace's embeddings could not be tried, so its embeddingConfig is taken as it is: ${error.message}`;
    engine.events.emit({ type: "warning", message });
    return config;
  }
}

/** An absent package is a fault of the installation, which the message of the error says how to mend. */
function fallbackWarning(cause: unknown): string {
  const isAbsent = KnowledgeBaseError.is(cause, "unsupported");
  const reason = isAbsent
    ? `. ${cause.message}`
    : `, because local transformer embeddings could not be loaded: ${messageOf(cause)}`;
  return `The namespace uses MANAGED_STATIC embeddings${reason}`;
}
