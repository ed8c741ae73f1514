import type { Provider, ProviderContext } from "../../interfaces/provider.js";
import type { VectorStore } from "../../interfaces/vector-store.js";
import { apiKeySchema } from "../../net/account-fields.js";
import { checkPublicUrl } from "../../net/check-public-url.js";
import { loadPackage } from "../../net/load-package.js";
import { z } from "../../vendor/zod.js";
import { hostedStore } from "../hosted/hosted-store.js";
import { managedProvider } from "../hosted/managed-provider.js";
import { PineconeClient } from "./client.js";

/** Access to a Pinecone index. */
export interface PineconeAccount {
  readonly apiKey: string;
  /** The index's host, as shown in Pinecone's console: `docs-abc123.svc.aped-4627-b74a.pinecone.io`. */
  readonly indexHost: string;
}

const EXAMPLE_HOST = "docs-abc123.svc.aped-4627-b74a.pinecone.io";

/** Maximum length of a DNS name (RFC 1035, section 2.3.4). */
const MAX_HOST_LENGTH = 253;

/** The schema of an index's host, which becomes a URL. A host without a scheme gets `https`. */
export const pineconeHostSchema = z
  .string()
  .superRefine((host, context) => {
    if (isOrigin(toUrl(host))) return;
    // The part before an @ may be a password.
    const received = host.includes("@") ? "" : `, got ${JSON.stringify(host.slice(0, MAX_HOST_LENGTH))}`;
    context.addIssue({
      code: "custom",
      message: `must be the host of an index, without a path, such as ${EXAMPLE_HOST}${received}`,
    });
  })
  .transform(toUrl);

function toUrl(host: string): string {
  return (/^https?:\/\//.test(host) ? host : `https://${host}`).replace(/\/$/, "");
}

/** Returns whether a URL is an origin whose host is an IP address or a valid DNS name. */
function isOrigin(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, hostname } = new URL(url);
  const name = hostname.replace(/\.$/, "");
  const labels = name.split(".");
  return origin === url && name.length <= MAX_HOST_LENGTH && labels.every(({ length }) => length >= 1 && length <= 63);
}

const configSchema = z.strictObject({
  provider: z.literal("PINECONE"),
  apiKey: apiKeySchema,
  indexHost: pineconeHostSchema,
});

/** The provider `PINECONE`, for an index in the namespace owner's account. */
export const pineconeProvider: Provider<z.infer<typeof configSchema>, VectorStore> = {
  provider: "PINECONE",
  secrets: ["apiKey"],
  hostField: "indexHost",
  config: configSchema,
  create: (config, context) => open(config.provider, config, context),
};

/** Creates the provider `MANAGED_PINECONE`, for an index in the operator's account. */
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
    provider === configSchema.shape.provider.value ? "vectorStoreConfig.indexHost" : "managed.pinecone.indexHost";
  if (allowPrivateHosts) checkPublicUrl(indexHost, field, allowPrivateHosts);
  const { Index } = await loadPackage<typeof import("@pinecone-database/pinecone")>("@pinecone-database/pinecone@8");
  return hostedStore(provider, new PineconeClient({ apiKey, indexHost, fetch, Index }));
}
