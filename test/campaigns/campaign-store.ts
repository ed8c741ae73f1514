import type { AnyProvider, ProviderContext } from "../../src/interfaces/provider.js";
import type { VectorStore } from "../../src/interfaces/vector-store.js";

/** The configuration of a namespace in a store of {@link campaignStore}. */
export const CAMPAIGN_STORE = { provider: "TURBOPUFFER", apiKey: "tpuf-key", region: "aws-us-east-1" };

/** The options of a knowledge base whose Turbopuffer is the server of a campaign; none without a server. */
export async function campaignStore(library: string, origin: string) {
  if (origin === "") return {};
  const { turbopufferProvider } = await import(new URL("./vector-stores/turbopuffer/provider.js", library).href);
  const reach: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    return fetch(`${origin}${url.pathname}${url.search}`, init);
  };
  const provider: AnyProvider<VectorStore> = {
    ...turbopufferProvider,
    create: (config: unknown, context: ProviderContext) =>
      turbopufferProvider.create(config, { ...context, fetch: reach }),
  };
  return { vectorStores: [provider], network: { allowPrivateHosts: [new URL(origin).host] } };
}
