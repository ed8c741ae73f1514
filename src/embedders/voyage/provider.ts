import { loadPackage } from "../../net/load-package.js";
import { accountConfigSchema, type ModelSpec } from "../hosted/config.js";
import { hostedEmbeddings } from "../hosted/embeddings.js";

const ENDPOINT = "https://api.voyageai.com/v1";

const requestableDimensions = { oneOf: [2048, 1024, 512, 256] };
const reducibleSpec: ModelSpec = { dimensions: 1024, requestableDimensions, maxInputTokens: 32_000 };
/** From docs.voyageai.com/docs/embeddings. */
const MODELS: Readonly<Record<string, ModelSpec>> = {
  "voyage-4-large": reducibleSpec,
  "voyage-4": reducibleSpec,
  "voyage-4-lite": reducibleSpec,
  "voyage-3.5": reducibleSpec,
  "voyage-3.5-lite": reducibleSpec,
  "voyage-3-large": reducibleSpec,
  "voyage-code-3": reducibleSpec,
  "voyage-3": { dimensions: 1024, maxInputTokens: 32_000 },
  "voyage-3-lite": { dimensions: 512, maxInputTokens: 32_000 },
  "voyage-finance-2": { dimensions: 1024, maxInputTokens: 32_000 },
  "voyage-law-2": { dimensions: 1024, maxInputTokens: 16_000 },
};

/**
 * The provider `VOYAGE`, through `voyage-ai-provider`. Batches have the package's maximum size and a token limit that
 * all models accept (docs.voyageai.com/reference/embeddings-api). The vendor truncates queries that are too long, but
 * rejects documents.
 */
export const voyageProvider = hostedEmbeddings({
  provider: "VOYAGE",
  vendor: "Voyage",
  secrets: ["apiKey"],
  maxBatchSize: 128,
  maxBatchTokens: 120_000,
  specOf: (model) => MODELS[model] ?? { dimensions: null, maxInputTokens: 16_000 },
  config: accountConfigSchema("VOYAGE", "voyage-3-large"),
  async connect({ model, apiKey, baseUrl = ENDPOINT }, { fetch }) {
    const { createVoyage } = await loadPackage<typeof import("voyage-ai-provider")>("voyage-ai-provider@4");
    const voyage = createVoyage({ apiKey, baseURL: baseUrl, fetch });
    return { model: voyage.embeddingModel(model), endpoint: baseUrl, apiKey };
  },
  providerOptions: (purpose, { dimensions }) => ({
    voyage: {
      inputType: purpose,
      truncation: purpose === "query",
      ...(dimensions !== undefined && { outputDimension: dimensions }),
    },
  }),
});
