import type { Provider, ProviderContext } from "../../interfaces/provider.js";
import type { VectorStore } from "../../interfaces/vector-store.js";
import { apiKeyField } from "../../net/account-fields.js";
import { checkPublicUrl } from "../../net/check-public-url.js";
import { loadPackage } from "../../net/load-package.js";
import { z } from "../../vendor/zod.js";
import { managedProvider } from "../hosted/managed-provider.js";
import { pineconeStore } from "./store.js";

/** What it takes to reach an index of Pinecone's. */
export interface PineconeAccount {
  readonly apiKey: string;
  /** As the console shows it: `docs-abc123.svc.aped-4627-b74a.pinecone.io`. */
  readonly indexHost: string;
}

const EXAMPLE = "docs-abc123.svc.aped-4627-b74a.pinecone.io";

/** Characters of a host that is refused: DNS has no longer one. */
const SHOWN = 253;

/** The address of an index: its host alone is `https`. */
export const pineconeHost = z
  .string()
  .superRefine((host, context) => {
    if (isOrigin(addressOf(host))) return;
    // What stands before an @ may be a password.
    const given = host.includes("@") ? "" : `, got ${JSON.stringify(host.slice(0, SHOWN))}`;
    context.addIssue({
      code: "custom",
      message: `must be the host of an index, without a path, as ${EXAMPLE}${given}`,
    });
  })
  .transform(addressOf);

function addressOf(host: string): string {
  return (/^https?:\/\//.test(host) ? host : `https://${host}`).replace(/\/$/, "");
}

/** An origin whose host is an IP address, or a name that DNS can have (RFC 1035, section 2.3.4). */
function isOrigin(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, hostname } = new URL(address);
  const name = hostname.replace(/\.$/, "");
  const labels = name.split(".");
  return origin === address && name.length <= 253 && labels.every(({ length }) => length >= 1 && length <= 63);
}

const ownConfig = z.strictObject({
  provider: z.literal("PINECONE"),
  apiKey: apiKeyField,
  indexHost: pineconeHost,
});

/** An index of the namespace's owner. */
export const pineconeProvider: Provider<z.infer<typeof ownConfig>, VectorStore> = {
  provider: "PINECONE",
  secrets: ["apiKey"],
  addressField: "indexHost",
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
  const { Index } = await loadPackage<typeof import("@pinecone-database/pinecone")>("@pinecone-database/pinecone@8");
  return pineconeStore({ provider, apiKey, indexHost, fetch, Index });
}
