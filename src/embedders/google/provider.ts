import type { EmbedPurpose } from "../../interfaces/embedder.js";
import { loadPackage } from "../../net/load-package.js";
import { accountConfigSchema, type ModelSpec } from "../hosted/config.js";
import { hostedEmbeddings } from "../hosted/embeddings.js";

const ENDPOINT = "https://generativelanguage.googleapis.com/v1beta";

/** From ai.google.dev/gemini-api/docs/embeddings. */
const MODELS: Readonly<Record<string, ModelSpec>> = {
  "gemini-embedding-001": { dimensions: 3072, requestableDimensions: { upTo: 3072 }, maxInputTokens: 2048 },
  "gemini-embedding-2": { dimensions: 3072, requestableDimensions: { upTo: 3072 }, maxInputTokens: 8192 },
  "gemini-embedding-2-preview": { dimensions: 3072, requestableDimensions: { upTo: 3072 }, maxInputTokens: 8192 },
  "text-embedding-004": { dimensions: 768, requestableDimensions: { upTo: 768 }, maxInputTokens: 2048 },
};

const TASK_TYPES = { document: "RETRIEVAL_DOCUMENT", query: "RETRIEVAL_QUERY" } as const;
/** Gemini Embedding 2 takes the task as a prefix of the text. */
const PREFIXES = { document: "title: none | text: ", query: "task: search result | query: " } as const;
const takesPrefix = (model: string) => model.startsWith("gemini-embedding-2");

/** The provider `GOOGLE`, through `@ai-sdk/google`. The API accepts a hundred texts per call. */
export const googleProvider = hostedEmbeddings({
  provider: "GOOGLE",
  vendor: "Google",
  secrets: ["apiKey"],
  maxBatchSize: 100,
  specOf: (model) => MODELS[model] ?? { dimensions: null, maxInputTokens: 2048 },
  config: accountConfigSchema("GOOGLE", "gemini-embedding-001"),
  async connect({ model, apiKey, baseUrl = ENDPOINT }, { fetch }) {
    const { createGoogleGenerativeAI } = await loadPackage<typeof import("@ai-sdk/google")>("@ai-sdk/google@3");
    const google = createGoogleGenerativeAI({ apiKey, baseURL: baseUrl, fetch });
    return { model: google.embedding(model), endpoint: baseUrl, apiKey };
  },
  prefix: (purpose: EmbedPurpose, { model }) => (takesPrefix(model) ? PREFIXES[purpose] : ""),
  providerOptions: (purpose, { model, dimensions }) => ({
    google: {
      ...(!takesPrefix(model) && { taskType: TASK_TYPES[purpose] }),
      ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    },
  }),
});
