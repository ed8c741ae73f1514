import { KnowledgeBaseError } from "../../errors.js";
import type { Embedder } from "../../interfaces/embedder.js";
import type { Provider } from "../../interfaces/provider.js";
import { z } from "../../vendor/zod.js";
import { modelFields } from "../hosted/config.js";
import { hostedEmbeddings } from "../hosted/embeddings.js";
import { connectOpenAi, OPENAI_EMBEDDINGS, type OpenAiAccount } from "./provider.js";

const configSchema = z.strictObject({
  provider: z.literal("MANAGED_OPENAI"),
  ...modelFields("text-embedding-3-large"),
});

const MISSING_ACCOUNT = "MANAGED_OPENAI needs the engine option managed.openai: { apiKey }";

/** Creates the provider `MANAGED_OPENAI`, which calls OpenAI's models with the operator's key. */
export function managedOpenAiProvider(
  account: OpenAiAccount | undefined,
): Provider<z.infer<typeof configSchema>, Embedder> {
  const provider = hostedEmbeddings({
    ...OPENAI_EMBEDDINGS,
    provider: "MANAGED_OPENAI",
    vendor: "OpenAI",
    secrets: [],
    hostField: "managed.openai.baseUrl",
    config: configSchema,
    async connect({ model }, { fetch }) {
      // Retryable: another process may have the key.
      if (!account) throw new KnowledgeBaseError("not_ready", `${MISSING_ACCOUNT}.`, { retryable: true });
      return connectOpenAi(account, model, fetch);
    },
  });
  return {
    ...provider,
    async complete(config, context) {
      if (!account) {
        const issue = { field: "embeddingConfig.provider", message: MISSING_ACCOUNT, reference: true } as const;
        throw new KnowledgeBaseError("invalid_input", `embeddingConfig.provider: ${MISSING_ACCOUNT}.`, {
          issues: [issue],
        });
      }
      return provider.complete!(config, context);
    },
  };
}
