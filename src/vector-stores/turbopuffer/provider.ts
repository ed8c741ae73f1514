import type { Provider, ProviderContext } from "../../interfaces/provider.js";
import type { VectorStore } from "../../interfaces/vector-store.js";
import { apiKeySchema } from "../../net/account-fields.js";
import { loadPackage } from "../../net/load-package.js";
import { z } from "../../vendor/zod.js";
import { hostedStore } from "../hosted/hosted-store.js";
import { managedProvider } from "../hosted/managed-provider.js";
import { TurbopufferClient } from "./client.js";

/** Access to Turbopuffer. */
export interface TurbopufferAccount {
  readonly apiKey: string;
  /** Turbopuffer's region, such as `aws-us-east-1`. */
  readonly region: string;
}

/** The schema of a region, which becomes part of the host name. */
export const turbopufferRegionSchema = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, "must be a region, such as aws-us-east-1");

const configSchema = z.strictObject({
  provider: z.literal("TURBOPUFFER"),
  apiKey: apiKeySchema,
  region: turbopufferRegionSchema,
});

/** The provider `TURBOPUFFER`, for vectors in the namespace owner's account. */
export const turbopufferProvider: Provider<z.infer<typeof configSchema>, VectorStore> = {
  provider: "TURBOPUFFER",
  secrets: ["apiKey"],
  hostField: "region",
  config: configSchema,
  create: (config, context) => open(config.provider, config, context),
};

/** Creates the provider `MANAGED_TURBOPUFFER`, for vectors in the operator's account. */
export function managedTurbopufferProvider(
  account: TurbopufferAccount | undefined,
): Provider<{ readonly provider: string }, VectorStore> {
  const option = "managed.turbopuffer: { apiKey, region }";
  return managedProvider({ provider: "MANAGED_TURBOPUFFER", option, account, open });
}

async function open(
  provider: string,
  { apiKey, region }: TurbopufferAccount,
  { fetch }: ProviderContext,
): Promise<VectorStore> {
  const { Turbopuffer } = await loadPackage<typeof import("@turbopuffer/turbopuffer")>("@turbopuffer/turbopuffer@2");
  return hostedStore(provider, new TurbopufferClient({ apiKey, region, fetch, Turbopuffer }));
}
