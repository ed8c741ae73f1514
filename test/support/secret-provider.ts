import type { Embedder, Provider, VectorStore } from "lorebase";
import { memoryVectorStore } from "lorebase/testing";
import { z } from "zod";
import { vendorError } from "#dist/net/vendor-error.js";

const keyed = (provider: string) =>
  z.strictObject({ provider: z.literal(provider), endpoint: z.string(), apiKey: z.string().min(8).max(100) });
type Keyed = z.output<ReturnType<typeof keyed>>;

/** Asks a service with a key in a header, as vendors' packages do, and throws what they throw. */
async function ask(
  code: "provider_failed" | "store_failed",
  config: Keyed,
  fetch: typeof globalThis.fetch,
): Promise<unknown> {
  const { endpoint, apiKey } = config;
  const request = { url: `${endpoint}?key=${apiKey}`, headers: { authorization: `Bearer ${apiKey}` } };
  const response = await fetch(request.url, { method: "POST", body: "{}", headers: request.headers });
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  const cause = Object.assign(new Error(text), { statusCode: response.status, ...request, responseBody: text });
  throw vendorError({ code, vendor: "Keyed", status: response.status, message: text, cause });
}

/** An embedder of a service that is called with a key. */
export const keyedEmbedder: Provider<Keyed, Embedder> = {
  provider: "KEYED",
  secrets: ["apiKey"],
  config: keyed("KEYED"),
  create: async (config, { fetch }) => ({
    provider: "KEYED",
    model: "keyed-1",
    dimensions: 2,
    maxInputTokens: 100,
    async embed(texts) {
      await ask("provider_failed", config, fetch);
      return texts.map(() => Float32Array.of(0.6, 0.8));
    },
    countTokens: async (texts) => texts.map((text) => text.length),
  }),
};

/** A vector store of a service that is called with a key. */
export const keyedStore: Provider<Keyed, VectorStore> = {
  provider: "KEYED_STORE",
  secrets: ["apiKey"],
  config: keyed("KEYED_STORE"),
  async create(config, { fetch }) {
    const store = memoryVectorStore();
    const asked = () => ask("store_failed", config, fetch);
    return {
      ...store,
      provider: "KEYED_STORE",
      upsert: (...given) => asked().then(() => store.upsert(...given)),
      query: (...given) => asked().then(() => store.query(...given)),
      delete: (...given) => asked().then(() => store.delete(...given)),
    };
  },
};
