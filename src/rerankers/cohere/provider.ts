import type { CallUsage } from "../../interfaces/hosted.js";
import { loadPackage } from "../../net/load-package.js";
import { z } from "../../vendor/zod.js";
import { hostedReranking } from "../hosted/provider.js";

/** Cohere recommends no more, although the API accepts 10,000 passages (docs.cohere.com/reference/rerank). */
const MAX_PASSAGES = 1000;
/** Cohere's default, set explicitly so that it doesn't change. Longer passages are truncated. */
const TOKENS_PER_PASSAGE = 4096;
/** The maximum tokens of a query (docs.cohere.com/docs/reranking-best-practices). */
const TOKENS_PER_QUERY = 2048;

const billingSchema = z.object({ meta: z.object({ billed_units: z.object({ search_units: z.number() }) }) });

/**
 * Creates the provider of Cohere's rerankers, through `@ai-sdk/cohere`. They use the first 4,096 tokens of a passage.
 * The usage of a call is in search units: a query with up to a hundred passages is one unit.
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
