import type { CallUsage } from "../../interfaces/hosted.js";
import { loadPackage } from "../../net/load-package.js";
import { z } from "../../vendor/zod.js";
import { hostedReranking } from "../hosted/provider.js";

/** The API accepts up to 10,000 but doesn't recommend it (docs.cohere.com/reference/rerank). */
const MAX_PASSAGES = 1000;
/** Cohere's default, set explicitly so that it doesn't change: longer passages are cut off. */
const TOKENS_PER_PASSAGE = 4096;
/** The maximum for a query (docs.cohere.com/docs/reranking-best-practices). */
const TOKENS_PER_QUERY = 2048;

const billingSchema = z.object({ meta: z.object({ billed_units: z.object({ search_units: z.number() }) }) });

/**
 * Cohere's rerankers, through `@ai-sdk/cohere`. Uses the first 4,096 tokens of a passage. The cost of a call is in
 * search units; a unit is a query with up to a hundred passages.
 */
export const cohereReranking = hostedReranking({
  provider: "cohere",
  vendor: "Cohere",
  endpoint: "https://api.cohere.com/v2",
  defaultModel: "rerank-v4.0-pro",
  batches: { maxBatchSize: MAX_PASSAGES },
  calls: {
    maxQueryTokens: TOKENS_PER_QUERY,
    providerOptions: { cohere: { maxTokensPerDoc: TOKENS_PER_PASSAGE } },
    usageOf,
  },
  async connect(account) {
    const { createCohere } = await loadPackage<typeof import("@ai-sdk/cohere")>("@ai-sdk/cohere@3");
    return createCohere(account);
  },
});

function usageOf(body: unknown): CallUsage | null {
  const parsed = billingSchema.safeParse(body);
  return parsed.success ? { units: parsed.data.meta.billed_units.search_units } : null;
}
