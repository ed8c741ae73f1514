import type { CallUsage } from "../../interfaces/hosted.js";
import type { Provider } from "../../interfaces/provider.js";
import type { Reranker } from "../../interfaces/reranker.js";
import { loadPackage } from "../../net/load-package.js";
import { z } from "../../vendor/zod.js";
import { aiSdkReranker } from "../ai-sdk/reranker.js";
import type { HostedAccount } from "../hosted/account.js";

const ENDPOINT = "https://api.zeroentropy.dev/v1";
/** Of one call, counted as `countBytes` does (docs.zeroentropy.dev, rate limits). */
const MAX_BYTES = 5_000_000;
/** Bytes counted for each pair besides its two texts. */
const BYTES_PER_PAIR = 150;

const schema = z.strictObject({ provider: z.literal("zeroentropy"), model: z.string().min(1).default("zerank-2") });

/**
 * Makes the provider of ZeroEntropy's rerankers, through `zeroentropy-ai-provider`. The models read 32,768 tokens of a
 * query and a passage together. A call's cost is told in bytes (`units`) and in tokens.
 */
export function zeroEntropyReranking({
  apiKey,
  baseUrl = ENDPOINT,
}: HostedAccount): Provider<z.infer<typeof schema>, Reranker> {
  return {
    provider: "zeroentropy",
    config: schema,
    async create({ model }, { fetch }) {
      type Library = typeof import("zeroentropy-ai-provider");
      const { createZeroEntropy } = await loadPackage<Library>("zeroentropy-ai-provider@1");
      const reranking = createZeroEntropy({ apiKey, baseURL: baseUrl, fetch }).reranking(model);
      const reranker = aiSdkReranker(reranking, {
        name: `zeroentropy:${model}`,
        vendor: "ZeroEntropy",
        hosted: { endpoint: baseUrl },
        apiKey,
        usageOf,
      });
      return { ...reranker, maxBatchBytes: MAX_BYTES, countBytes };
    },
  };
}

function countBytes(query: string, passage: string): number {
  return BYTES_PER_PAIR + Buffer.byteLength(query) + Buffer.byteLength(passage);
}

const counted = z.object({ total_bytes: z.number().optional(), total_tokens: z.number().optional() });

function usageOf(body: unknown): CallUsage | null {
  const answer = counted.safeParse(body);
  if (!answer.success) return null;
  const { total_bytes: units, total_tokens: inputTokens } = answer.data;
  return { ...(units !== undefined && { units }), ...(inputTokens !== undefined && { inputTokens }) };
}
