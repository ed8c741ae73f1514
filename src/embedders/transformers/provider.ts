import type { Embedder } from "../../interfaces/embedder.js";
import type { Provider, ProviderContext } from "../../interfaces/provider.js";
import { type LocalModelOptions, startModelPool } from "../../local-models/model-pool.js";
import type { ThreadPool } from "../../rpc/thread-pool.js";
import { TRANSFORMERS_PROVIDER, type TransformersConfig, transformersConfigSchema } from "./config.js";
import { familyOf } from "./model-families.js";
import type { TransformersDescription, TransformersOperations, TransformersSetup } from "./operations.js";

/** A few texts for each core of a small machine. */
const MAX_BATCH_SIZE = 8;

/** Texts per `countTokens` message: enough to amortize the message, few enough to share the work among threads. */
const TEXTS_PER_MESSAGE = 32;

/**
 * Creates the provider of local transformer embeddings. `create` opens the model and so fails with
 * - `unsupported` if the package `@huggingface/transformers` is absent, with the command that installs it,
 * - `not_ready` if the model's files are neither in the models directory nor downloadable,
 * - `provider_failed` if the files are not a usable model.
 */
export function transformersEmbeddings(options: LocalModelOptions = {}): Provider<TransformersConfig, Embedder> {
  return {
    provider: TRANSFORMERS_PROVIDER,
    config: transformersConfigSchema,
    create: (config, context) => createEmbedder(config, context, options),
  };
}

/** The provider `MANAGED_TRANSFORMERS` with default options. */
export const transformersProvider: Provider<TransformersConfig, Embedder> = transformersEmbeddings();

async function createEmbedder(
  config: TransformersConfig,
  context: ProviderContext,
  options: LocalModelOptions,
): Promise<Embedder> {
  const family = familyOf(config.model);
  const { pooling = family.pooling, queryPrefix = family.queryPrefix, documentPrefix = family.documentPrefix } = config;
  const setup: Omit<TransformersSetup, "source"> = {
    dtype: config.dtype,
    pooling,
    prefixes: [queryPrefix, documentPrefix],
  };
  const { pool, description } = await startModelPool<TransformersDescription, TransformersOperations>({
    entry: new URL("./thread.js", import.meta.url),
    name: "lorebase transformers embedder",
    model: config.model,
    setup,
    context,
    ...options,
  });
  return {
    provider: TRANSFORMERS_PROVIDER,
    model: config.model,
    ...description,
    // Threads take one text at a time. Small batches end at different times, so no thread idles while a batch is stored.
    maxBatchSize: MAX_BATCH_SIZE,
    unrelatedSimilarity: family.unrelatedSimilarity,
    fingerprint: JSON.stringify([config.dtype, pooling, queryPrefix, documentPrefix]),
    embed: async (texts, { purpose, signal, onTokens }) => {
      const urgent = purpose === "query";
      const prefix = urgent ? queryPrefix : documentPrefix;
      const embedded = await embedTexts(pool, texts, prefix, { signal, urgent });
      // The prefix's tokens are not part of the text.
      if (prefix === "" && !embedded.includes(null)) onTokens?.(embedded.map((result) => result!.tokenCount));
      return embedded.map((result) => result?.vector ?? new Float32Array(description.dimensions));
    },
    countTokens: (texts, { signal } = {}) => countTokens(pool, texts, signal),
    close: () => pool.close(),
  };
}

/**
 * Embeds one text per message: within a batch, a text's quantised vector would depend on the other texts, and batches
 * are slower on a CPU. Returns `null` for blank texts.
 */
async function embedTexts(
  pool: ThreadPool<TransformersOperations>,
  texts: readonly string[],
  prefix: string,
  options: { readonly signal: AbortSignal | undefined; readonly urgent: boolean },
): Promise<readonly (Awaited<ReturnType<TransformersOperations["embed"]>> | null)[]> {
  const nonBlank = texts.filter((text) => text.trim() !== "");
  const results = await pool.runEach(
    "embed",
    nonBlank.map((text) => prefix + text),
    options,
  );
  let next = 0;
  return texts.map((text) => (text.trim() === "" ? null : results[next++]!));
}

async function countTokens(
  pool: ThreadPool<TransformersOperations>,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const batches: (readonly string[])[] = [];
  for (let start = 0; start < texts.length; start += TEXTS_PER_MESSAGE) {
    batches.push(texts.slice(start, start + TEXTS_PER_MESSAGE));
  }
  const counts = await pool.runEach("countTokens", batches, { signal, urgent: true });
  return counts.flatMap((batch) => Array.from(batch));
}
