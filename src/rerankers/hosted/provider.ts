import type { AiSdkRerankingModel } from "../../interfaces/ai-sdk-reranking-model.js";
import type { Provider } from "../../interfaces/provider.js";
import type { Reranker } from "../../interfaces/reranker.js";
import { z } from "../../vendor/zod.js";
import { type AiSdkRerankerOptions, aiSdkReranker } from "../ai-sdk/reranker.js";

/** The account that a hosted reranker is called with. */
export interface HostedAccount {
  readonly apiKey: string;
  /** Replaces the vendor's URL, for example with a proxy's; without a trailing slash. */
  readonly baseUrl?: string | undefined;
}

/** The properties of one vendor's rerankers. */
export interface HostedReranking {
  /** The vendor in names of rerankers, such as `cohere`. */
  readonly provider: string;
  /** The vendor's name in error messages, such as `Cohere`. */
  readonly vendor: string;
  readonly endpoint: string;
  readonly defaultModel: string;
  readonly batches: Pick<Reranker, "maxBatchSize" | "maxBatchBytes" | "countBytes">;
  readonly calls: Pick<AiSdkRerankerOptions, "maxQueryTokens" | "providerOptions" | "usageOf">;
  /** Loads the vendor's package and creates its client. */
  connect(account: {
    readonly apiKey: string;
    readonly baseURL: string;
    readonly fetch: typeof globalThis.fetch;
  }): Promise<{ reranking(model: string): AiSdkRerankingModel }>;
}

/** Returns a function that creates a vendor's provider for an account. */
export function hostedReranking({ provider, vendor, endpoint, defaultModel, ...properties }: HostedReranking) {
  const config = z.strictObject({ provider: z.literal(provider), model: z.string().min(1).default(defaultModel) });
  const { batches, calls, connect } = properties;
  return ({ apiKey, baseUrl = endpoint }: HostedAccount): Provider<z.infer<typeof config>, Reranker> => ({
    provider,
    config,
    async create({ model }, { fetch }) {
      const sdk = await connect({ apiKey, baseURL: baseUrl, fetch });
      const name = `${provider}:${model}`;
      const hosted = { endpoint: baseUrl };
      return { ...aiSdkReranker(sdk.reranking(model), { ...calls, name, vendor, hosted, apiKey }), ...batches };
    },
  });
}
