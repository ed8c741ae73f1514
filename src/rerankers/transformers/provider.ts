import type { Provider, ProviderContext } from "../../interfaces/provider.js";
import type { RankedPassage, Reranker, RerankOptions } from "../../interfaces/reranker.js";
import { type LocalModelOptions, startModelPool } from "../../local-models/model-pool.js";
import type { ThreadPool } from "../../rpc/thread-pool.js";
import { TRANSFORMERS_VENDOR, type TransformersRerankerConfig, transformersRerankerSchema } from "./config.js";
import type { RerankerDescription, RerankerOperations } from "./operations.js";

/**
 * Creates the provider of local cross-encoders, which read a query and a passage together. A score is the sigmoid of
 * the model's output, so 0.5 means as likely relevant as not. A passage that doesn't fit into the model's window with
 * the query (512 tokens for most models, some 350 English words) is truncated, and so is a query that takes more than
 * half of the window.
 *
 * `create` opens the model and so fails with
 * - `unsupported` if the package `@huggingface/transformers` is absent, with the command that installs it,
 * - `not_ready` if the model's files are neither in the models directory nor downloadable,
 * - `provider_failed` if the files are not a cross-encoder.
 */
export function transformersReranking(options: LocalModelOptions = {}): Provider<TransformersRerankerConfig, Reranker> {
  return {
    provider: TRANSFORMERS_VENDOR,
    config: transformersRerankerSchema,
    create: (config, context) => createReranker(config, context, options),
  };
}

async function createReranker(
  { model }: TransformersRerankerConfig,
  context: ProviderContext,
  options: LocalModelOptions,
): Promise<Reranker> {
  const { pool } = await startModelPool<RerankerDescription, RerankerOperations>({
    entry: new URL("./thread.js", import.meta.url),
    name: "lorebase transformers reranker",
    model,
    setup: {},
    context,
    ...options,
  });
  return {
    model: `${TRANSFORMERS_VENDOR}:${model}`,
    rerank: (query, passages, call) => scorePassages(pool, query, passages, call),
    close: () => pool.close(),
  };
}

/** Scores one pair per message, in order: batches are slower on a CPU and would report their scores all at once. */
async function scorePassages(
  pool: ThreadPool<RerankerOperations>,
  query: string,
  passages: readonly string[],
  { limit, signal, onScore }: RerankOptions,
): Promise<readonly RankedPassage[]> {
  const pairs = passages.map((passage) => ({ query, passage }));
  const onOutput = (score: number, index: number) => onScore?.({ index, score });
  const scores = await pool.runEach("score", pairs, { signal, onOutput });
  return scores
    .map((score, index) => ({ index, score }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}
