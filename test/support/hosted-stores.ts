import { pineconeProvider } from "#dist/vector-stores/pinecone.js";
import { turbopufferProvider } from "#dist/vector-stores/turbopuffer.js";
import type { ProviderContext } from "../../src/interfaces/provider.js";
import type { VectorStore } from "../../src/interfaces/vector-store.js";
import { type FakePinecone, type FakePineconeOptions, fakePinecone } from "./vendors/pinecone.js";
import {
  FAKE_REGION,
  type FakeTurbopuffer,
  type FakeTurbopufferOptions,
  fakeTurbopuffer,
} from "./vendors/turbopuffer.js";

const CONTEXT: ProviderContext = { modelsDirectory: "models", fetch: globalThis.fetch };

/** A driver and the vendor that it talks to, which ends with the test. */
export async function newPinecone(
  options: FakePineconeOptions = {},
): Promise<{ readonly store: VectorStore; readonly vendor: FakePinecone }> {
  const vendor = await fakePinecone(options);
  return { vendor, store: await openPinecone(vendor) };
}

export function openPinecone({ origin }: Pick<FakePinecone, "origin">, apiKey = "pc-key"): Promise<VectorStore> {
  return pineconeProvider.create({ provider: "PINECONE", apiKey, indexHost: origin }, CONTEXT);
}

export async function newTurbopuffer(
  options: FakeTurbopufferOptions = {},
): Promise<{ readonly store: VectorStore; readonly vendor: FakeTurbopuffer }> {
  const vendor = await fakeTurbopuffer(options);
  return { vendor, store: await openTurbopuffer(vendor) };
}

export function openTurbopuffer({ fetch }: Pick<FakeTurbopuffer, "fetch">, apiKey = "tpuf-key"): Promise<VectorStore> {
  const config = { provider: "TURBOPUFFER" as const, apiKey, region: FAKE_REGION };
  return turbopufferProvider.create(config, { ...CONTEXT, fetch });
}
