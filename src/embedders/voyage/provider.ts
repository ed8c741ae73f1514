import { loadPackage } from "../../net/load-package.js";
import { accountConfig, type ModelFacts } from "../hosted/config.js";
import { hostedEmbeddings } from "../hosted/embeddings.js";

const ENDPOINT = "https://api.voyageai.com/v1";

const reducible = { oneOf: [2048, 1024, 512, 256] };
const flexible: ModelFacts = { dimensions: 1024, reducible, maxInputTokens: 32_000 };
/** docs.voyageai.com/docs/embeddings. */
const MODELS: Readonly<Record<string, ModelFacts>> = {
  "voyage-4-large": flexible,
  "voyage-4": flexible,
  "voyage-4-lite": flexible,
  "voyage-3.5": flexible,
  "voyage-3.5-lite": flexible,
  "voyage-3-large": flexible,
  "voyage-code-3": flexible,
  "voyage-3": { dimensions: 1024, maxInputTokens: 32_000 },
  "voyage-3-lite": { dimensions: 512, maxInputTokens: 32_000 },
  "voyage-finance-2": { dimensions: 1024, maxInputTokens: 32_000 },
  "voyage-law-2": { dimensions: 1024, maxInputTokens: 16_000 },
};

/**
 * `VOYAGE`, through `voyage-ai-provider`. Batches have the package's maximum size and the token limit common to all
 * models (docs.voyageai.com/reference/embeddings-api). The vendor rejects document texts that are too long instead of
 * truncating.
 */
export const voyageProvider = hostedEmbeddings({
  provider: "VOYAGE",
  vendor: "Voyage",
  secrets: ["apiKey"],
  maxBatchSize: 128,
  maxBatchTokens: 120_000,
  factsOf: (model) => MODELS[model] ?? { dimensions: null, maxInputTokens: 16_000 },
  config: accountConfig("VOYAGE", "voyage-3-large"),
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
