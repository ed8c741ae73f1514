import { z } from "../bundled/zod.js";
import type { Provider, ProviderContext } from "../interfaces/provider.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import { apiKeyField } from "../net/account-fields.js";
import { checkPublicUrl } from "../net/check-public-url.js";
import { loadPackage } from "../net/load-package.js";
import { managedProvider } from "./hosted/managed-provider.js";
import { pineconeStore } from "./pinecone/store.js";

/** What it takes to reach an index of Pinecone's. */
export interface PineconeAccount {
  readonly apiKey: string;
  /** As the console shows it: `docs-abc123.svc.aped-4627-b74a.pinecone.io`. */
  readonly indexHost: string;
}

/** The address of an index: its host alone is `https`. */
export const pineconeHost = z
  .string()
  .transform((host) => (/^https?:\/\//.test(host) ? host : `https://${host}`).replace(/\/$/, ""))
  .refine((url) => URL.canParse(url) && new URL(url).origin === url, "must be the host of an index, without a path");

const ownConfig = z.strictObject({
  provider: z.literal("PINECONE"),
  apiKey: apiKeyField,
  indexHost: pineconeHost,
});

/** An index of the namespace's owner. */
export const pineconeProvider: Provider<z.infer<typeof ownConfig>, VectorStore> = {
  provider: "PINECONE",
  secrets: ["apiKey"],
  config: ownConfig,
  create: (config, context) => open(config.provider, config, context),
};

/** An index of whoever runs the engine. */
export function managedPineconeProvider(
  account: PineconeAccount | undefined,
): Provider<{ readonly provider: string }, VectorStore> {
  const option = "managed.pinecone: { apiKey, indexHost }";
  return managedProvider({ provider: "MANAGED_PINECONE", option, account, open });
}

async function open(
  provider: string,
  { apiKey, indexHost }: PineconeAccount,
  { fetch, allowPrivateHosts }: ProviderContext,
): Promise<VectorStore> {
  const field =
    provider === ownConfig.shape.provider.value ? "vectorStoreConfig.indexHost" : "managed.pinecone.indexHost";
  if (allowPrivateHosts) checkPublicUrl(indexHost, field, allowPrivateHosts);
  const { Index } = await loadPackage(() => import("@pinecone-database/pinecone"), "@pinecone-database/pinecone@8");
  return pineconeStore({ provider, apiKey, indexHost, fetch, Index });
}
