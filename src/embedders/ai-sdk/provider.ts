import { KnowledgeBaseError } from "../../errors.js";
import type { AiSdkEmbeddingModel } from "../../interfaces/ai-sdk-embedding-model.js";
import type { Embedder } from "../../interfaces/embedder.js";
import type { Provider } from "../../interfaces/provider.js";
import { parseInput } from "../../validation/parse-input.js";
import { z } from "../../vendor/zod.js";
import type { AiSdkEmbedderOptions } from "./embedder.js";

export interface AiSdkEmbeddingsOptions
  extends Pick<
    AiSdkEmbedderOptions,
    "dimensions" | "maxInputTokens" | "maxBatchTokens" | "prefix" | "providerOptions"
  > {
  /** The name for `embeddingConfig.provider`, in upper case, such as `MY_EMBEDDINGS`. */
  readonly provider: string;
  /** Maximum number of texts in a call. @default the model's `maxEmbeddingsPerCall`, at most 256 */
  readonly maxBatchSize?: number;
  /** Maximum number of concurrent calls. @default 4 */
  readonly concurrency?: number;
  /** Timeout of one attempt, in milliseconds. @default the option `calls.timeoutMs` of the knowledge base */
  readonly timeoutMs?: number;
}

const callbackSchema = z.custom<(...given: never[]) => never>(
  (value) => typeof value === "function",
  "must be a function",
);
const countSchema = z.int().min(1);
const optionsSchema = z.strictObject({
  provider: z.string().min(1),
  dimensions: countSchema.max(65_536),
  maxInputTokens: countSchema.nullable(),
  maxBatchSize: countSchema.optional(),
  maxBatchTokens: countSchema.optional(),
  concurrency: countSchema.optional(),
  timeoutMs: countSchema.max(600_000).optional(),
  prefix: callbackSchema.optional(),
  providerOptions: callbackSchema.optional(),
});

const SUPPORTED_VERSIONS = ["v2", "v3", "v4"];
const MAX_BATCH_SIZE = 256;

/**
 * Creates a provider from an embedding model of the AI SDK (specification v2 to v4) for the option `embedders`.
 * Namespaces select it with `embeddingConfig: { provider }`. The model must stay the same as long as they exist.
 *
 * @throws KnowledgeBaseError `invalid_input` if the model is not one of the AI SDK, or an option is invalid
 * @example
 * const model = mistral.embedding("mistral-embed");
 * const options = { provider: "MISTRAL", dimensions: 1024, maxInputTokens: 8192 };
 * const kb = new KnowledgeBase({ embedders: [aiSdkEmbeddings(model, options)] });
 */
export function aiSdkEmbeddings(
  model: AiSdkEmbeddingModel,
  options: AiSdkEmbeddingsOptions,
): Provider<{ readonly provider: string }, Embedder> {
  parseInput(optionsSchema, options, ["aiSdkEmbeddings"]);
  const { provider, concurrency, timeoutMs, maxBatchSize, ...rest } = options;
  if (!SUPPORTED_VERSIONS.includes(model.specificationVersion) || typeof model.doEmbed !== "function") {
    const version = JSON.stringify(model.specificationVersion);
    const rule = `must be an AI SDK embedding model of specification ${SUPPORTED_VERSIONS.join(", ")}`;
    throw new KnowledgeBaseError(
      "invalid_input",
      `aiSdkEmbeddings: model ${rule}; its specificationVersion is ${version}`,
    );
  }
  return {
    provider,
    config: z.strictObject({ provider: z.literal(provider) }),
    async create() {
      const { aiSdkEmbedder } = await import("./embedder.js");
      const modelLimit = (await model.maxEmbeddingsPerCall) ?? MAX_BATCH_SIZE;
      return aiSdkEmbedder(model, {
        ...rest,
        provider,
        vendor: provider,
        maxBatchSize: maxBatchSize ?? Math.min(modelLimit, MAX_BATCH_SIZE),
        hosted: {
          endpoint: `ai-sdk:${model.provider}`,
          ...(concurrency !== undefined && { concurrency }),
          ...(timeoutMs !== undefined && { timeoutMs }),
        },
      });
    },
  };
}
