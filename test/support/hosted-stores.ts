import { pineconeProvider } from "#dist/vector-stores/pinecone/provider.js";
import { turbopufferProvider } from "#dist/vector-stores/turbopuffer/provider.js";
import type { AnyProvider, ProviderContext } from "../../src/interfaces/provider.js";
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

/** Both vendors' providers, for an engine, with calls that go to 127.0.0.1. */
export function hostedProviders(
  turbopuffer?: Pick<FakeTurbopuffer, "fetch">,
  fetch = globalThis.fetch,
): readonly AnyProvider<VectorStore>[] {
  return [
    reaching(pineconeProvider, fetch),
    ...(turbopuffer ? [reaching(turbopufferProvider, turbopuffer.fetch)] : []),
  ];
}

function reaching(provider: AnyProvider<VectorStore>, fetch: typeof globalThis.fetch): AnyProvider<VectorStore> {
  return { ...provider, create: (config, context) => provider.create(config, { ...context, fetch }) };
}

/** A namespace's configuration of a fake. */
export function pineconeConfig({ origin }: Pick<FakePinecone, "origin">, apiKey = "pc-key") {
  return { provider: "PINECONE", apiKey, indexHost: origin };
}

export const TURBOPUFFER_CONFIG = { provider: "TURBOPUFFER", apiKey: "tpuf-key", region: FAKE_REGION };
