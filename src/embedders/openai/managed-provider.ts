import { KnowledgeBaseError } from "../../errors.js";
import type { Embedder } from "../../interfaces/embedder.js";
import type { Provider } from "../../interfaces/provider.js";
import { z } from "../../vendor/zod.js";
import { hostedFields } from "../hosted/config.js";
import { hostedEmbeddings } from "../hosted/embeddings.js";
import { connectOpenAi, OPENAI_EMBEDDINGS, type OpenAiAccount } from "./provider.js";

const { model, dimensions, nativeDimensions } = hostedFields;

const config = z.strictObject({
  provider: z.literal("MANAGED_OPENAI"),
  model: model.default("text-embedding-3-large"),
  dimensions,
  nativeDimensions,
});

const MISSING = "MANAGED_OPENAI needs the engine option managed.openai: { apiKey }";

/** `MANAGED_OPENAI`: OpenAI's models under the key of whoever runs the engine. */
export function managedOpenAiProvider(account: OpenAiAccount | undefined): Provider<z.infer<typeof config>, Embedder> {
  const provider = hostedEmbeddings({
    ...OPENAI_EMBEDDINGS,
    provider: "MANAGED_OPENAI",
    vendor: "OpenAI",
    secrets: [],
    addressField: "managed.openai.baseUrl",
    config,
    async connect({ model }, { fetch }) {
      // Another process may have it.
      if (!account) throw new KnowledgeBaseError("not_ready", `${MISSING}.`, { retryable: true });
      return connectOpenAi(account, model, fetch);
    },
  });
  return {
    ...provider,
    async complete(given, context) {
      if (!account) {
        const issue = { field: "embeddingConfig.provider", message: MISSING, reference: true } as const;
        throw new KnowledgeBaseError("invalid_input", `embeddingConfig.provider: ${MISSING}.`, { issues: [issue] });
      }
      return provider.complete!(given, context);
    },
  };
}
