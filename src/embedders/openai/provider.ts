import { loadPackage } from "../../net/load-package.js";
import { accountConfigSchema, type HostedEmbeddingConfig, type ModelSpec } from "../hosted/config.js";
import { type Connection, hostedEmbeddings } from "../hosted/embeddings.js";

const ENDPOINT = "https://api.openai.com/v1";
export const OPENAI_PACKAGE = "@ai-sdk/openai@3";

/** From platform.openai.com/docs/guides/embeddings. */
const MODELS: Readonly<Record<string, ModelSpec>> = {
  "text-embedding-3-large": { dimensions: 3072, requestableDimensions: { upTo: 3072 }, maxInputTokens: 8192 },
  "text-embedding-3-small": { dimensions: 1536, requestableDimensions: { upTo: 1536 }, maxInputTokens: 8192 },
  "text-embedding-ada-002": { dimensions: 1536, maxInputTokens: 8192 },
};

/**
 * What OpenAI and Azure OpenAI have in common. A call may have 2,048 texts and 300,000 tokens
 * (learn.microsoft.com/azure/foundry/reference/rest/embeddings-create-embedding), but smaller calls return sooner and
 * run concurrently.
 */
export const OPENAI_EMBEDDINGS = {
  maxBatchSize: 256,
  maxBatchTokens: 300_000,
  specOf: (model: string): ModelSpec => MODELS[model] ?? { dimensions: null, maxInputTokens: 8192 },
  providerOptions: (_: unknown, { dimensions }: HostedEmbeddingConfig) => ({
    openai: { ...(dimensions !== undefined && { dimensions }) },
  }),
};

export interface OpenAiAccount {
  readonly apiKey: string;
  readonly organization?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** Opens a model of OpenAI, or of a server with the same API. */
export async function connectOpenAi(
  { apiKey, organization, baseUrl = ENDPOINT }: OpenAiAccount,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<Connection> {
  const { createOpenAI } = await loadPackage<typeof import("@ai-sdk/openai")>(OPENAI_PACKAGE);
  const openai = createOpenAI({ apiKey, baseURL: baseUrl, fetch, ...(organization !== undefined && { organization }) });
  return { model: openai.embedding(model), endpoint: baseUrl, apiKey };
}

/** The provider `OPENAI`, through `@ai-sdk/openai`. */
export const openAiProvider = hostedEmbeddings({
  ...OPENAI_EMBEDDINGS,
  provider: "OPENAI",
  vendor: "OpenAI",
  secrets: ["apiKey"],
  config: accountConfigSchema("OPENAI", "text-embedding-3-large"),
  connect: (config, { fetch }) => connectOpenAi(config, config.model, fetch),
});
