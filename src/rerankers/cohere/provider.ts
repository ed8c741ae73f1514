import type { CallUsage } from "../../interfaces/hosted.js";
import type { Provider } from "../../interfaces/provider.js";
import type { Reranker } from "../../interfaces/reranker.js";
import { loadPackage } from "../../net/load-package.js";
import { z } from "../../vendor/zod.js";
import { aiSdkReranker } from "../ai-sdk/reranker.js";
import type { HostedAccount } from "../hosted/account.js";

const ENDPOINT = "https://api.cohere.com/v2";
/** The API accepts up to 10,000 but doesn't recommend it (docs.cohere.com/reference/rerank). */
const MAX_PASSAGES = 1000;
/** Cohere's default, set explicitly so that it doesn't change: longer passages are cut off. */
const TOKENS_PER_PASSAGE = 4096;
/** The maximum of a query (docs.cohere.com/docs/reranking-best-practices). */
const TOKENS_PER_QUERY = 2048;

const schema = z.strictObject({ provider: z.literal("cohere"), model: z.string().min(1).default("rerank-v4.0-pro") });

/**
 * Creates the provider of Cohere's rerankers, through `@ai-sdk/cohere`. Uses the first 4,096 tokens of a passage. The
 * cost of
 * a call is in search units; a unit is a query with up to a hundred passages.
 */
export function cohereReranking({
  apiKey,
  baseUrl = ENDPOINT,
}: HostedAccount): Provider<z.infer<typeof schema>, Reranker> {
  return {
    provider: "cohere",
    config: schema,
    async create({ model }, { fetch }) {
      const { createCohere } = await loadPackage<typeof import("@ai-sdk/cohere")>("@ai-sdk/cohere@3");
      const reranking = createCohere({ apiKey, baseURL: baseUrl, fetch }).reranking(model);
      const reranker = aiSdkReranker(reranking, {
        name: `cohere:${model}`,
        vendor: "Cohere",
        hosted: { endpoint: baseUrl },
        maxQueryTokens: TOKENS_PER_QUERY,
        apiKey,
        providerOptions: { cohere: { maxTokensPerDoc: TOKENS_PER_PASSAGE } },
        usageOf,
      });
      return { ...reranker, maxBatchSize: MAX_PASSAGES };
    },
  };
}

const billed = z.object({ meta: z.object({ billed_units: z.object({ search_units: z.number() }) }) });

function usageOf(body: unknown): CallUsage | null {
  const answer = billed.safeParse(body);
  return answer.success ? { units: answer.data.meta.billed_units.search_units } : null;
}
