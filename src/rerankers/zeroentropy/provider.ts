import type { CallUsage } from "../../interfaces/hosted.js";
import { loadPackage } from "../../net/load-package.js";
import { z } from "../../vendor/zod.js";
import { hostedReranking } from "../hosted/provider.js";

/** Maximum bytes of a call, as counted by `countBytes` (docs.zeroentropy.dev, rate limits). */
const MAX_BYTES = 5_000_000;
/** Bytes counted for each pair in addition to its two texts. */
const BYTES_PER_PAIR = 150;

const billingSchema = z.object({ total_bytes: z.number().optional(), total_tokens: z.number().optional() });

/**
 * Creates the provider of ZeroEntropy's rerankers, through `zeroentropy-ai-provider`. They read 32,768 tokens of a
 * query and a passage together. The usage of a call is in bytes (`units`) and tokens.
 */
export const zeroEntropyReranking = hostedReranking({
  provider: "zeroentropy",
  vendor: "ZeroEntropy",
  endpoint: "https://api.zeroentropy.dev/v1",
  defaultModel: "zerank-2",
  batches: { maxBatchBytes: MAX_BYTES, countBytes },
  calls: { usageOf },
  async connect(account) {
    type Library = typeof import("zeroentropy-ai-provider");
    const { createZeroEntropy } = await loadPackage<Library>("zeroentropy-ai-provider@1");
    return createZeroEntropy(account);
  },
});

function countBytes(query: string, passage: string): number {
  return BYTES_PER_PAIR + Buffer.byteLength(query) + Buffer.byteLength(passage);
}

function usageOf(body: unknown): CallUsage | null {
  const parsed = billingSchema.safeParse(body);
  if (!parsed.success) return null;
  const { total_bytes: units, total_tokens: inputTokens } = parsed.data;
  return { ...(units !== undefined && { units }), ...(inputTokens !== undefined && { inputTokens }) };
}
