import { azureOpenAiProvider } from "#dist/embedders/azure-openai/provider.js";
import { googleProvider } from "#dist/embedders/google/provider.js";
import { managedOpenAiProvider } from "#dist/embedders/openai/managed-provider.js";
import { openAiProvider } from "#dist/embedders/openai/provider.js";
import { voyageProvider } from "#dist/embedders/voyage/provider.js";
import type { Embedder } from "../../../src/interfaces/embedder.js";
import type { AnyProvider, Provider } from "../../../src/interfaces/provider.js";
import { googleServer } from "./google.js";
import { azureOpenAiServer, openAiServer } from "./openai.js";
import type { ScriptedServer, VendorAnswer } from "./scripted-server.js";
import { voyageServer } from "./voyage.js";

export const KEY = "sk-canary-7Qd1vX2mZ9";

/** One vendor of embeddings: its driver, its fake, and where its answers have their vectors. */
export interface EmbeddingVendor {
  readonly name: string;
  /** As in messages. */
  readonly vendor: string;
  readonly provider: AnyProvider<Embedder>;
  /** Without `provider`. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly dimensions: number;
  readonly batch: number;
  /** Whether an answer says which text each vector is of. */
  readonly indexed: boolean;
  /** The vendor's own. */
  readonly origin: string;
  serve(key: string): Promise<ScriptedServer>;
  /** What it answers to a wrong key. */
  readonly refused: { readonly status: number; readonly message: RegExp };
  /** The body of a refusal. */
  refusal(message: string): unknown;
}

const openAiRefusal = (message: string) => ({ error: { message, type: "error", param: null, code: null } });
const openAiRefused = { status: 401, message: /Incorrect API key provided: •+\./ };

export const EMBEDDING_VENDORS: readonly EmbeddingVendor[] = [
  {
    name: "OPENAI",
    vendor: "OpenAI",
    provider: openAiProvider,
    config: { model: "text-embedding-3-small", apiKey: KEY, dimensions: 32 },
    dimensions: 32,
    batch: 256,
    indexed: true,
    origin: "https://api.openai.com",
    serve: openAiServer,
    refused: openAiRefused,
    refusal: openAiRefusal,
  },
  {
    name: "MANAGED_OPENAI",
    vendor: "OpenAI",
    provider: managedOpenAiProvider({ apiKey: KEY }),
    config: { model: "text-embedding-3-large", dimensions: 16 },
    dimensions: 16,
    batch: 256,
    indexed: true,
    origin: "https://api.openai.com",
    serve: openAiServer,
    refused: openAiRefused,
    refusal: openAiRefusal,
  },
  {
    name: "AZURE_OPENAI",
    vendor: "Azure OpenAI",
    provider: azureOpenAiProvider,
    config: {
      model: "text-embedding-3-small",
      resourceName: "acme",
      deployment: "text-embedding-3-small",
      apiKey: KEY,
    },
    dimensions: 1536,
    batch: 256,
    indexed: true,
    origin: "https://acme.openai.azure.com",
    serve: azureOpenAiServer,
    refused: { status: 401, message: /Access denied due to invalid subscription key/ },
    refusal: (message) => ({ error: { code: "429", message } }),
  },
  {
    name: "VOYAGE",
    vendor: "Voyage",
    provider: voyageProvider,
    config: { model: "voyage-3-large", apiKey: KEY, dimensions: 256 },
    dimensions: 256,
    batch: 128,
    indexed: true,
    origin: "https://api.voyageai.com",
    serve: voyageServer,
    refused: { status: 401, message: /Provided API key is invalid: Bearer •+/ },
    refusal: (detail) => ({ detail }),
  },
  {
    name: "GOOGLE",
    vendor: "Google",
    provider: googleProvider,
    config: { model: "gemini-embedding-001", apiKey: KEY, dimensions: 64 },
    dimensions: 64,
    batch: 100,
    indexed: false,
    origin: "https://generativelanguage.googleapis.com",
    serve: googleServer,
    refused: { status: 400, message: /API key not valid/ },
    refusal: (message) => ({ error: { code: 429, message, status: "RESOURCE_EXHAUSTED" } }),
  },
];

/** A fetch that finds a vendor's fake at the vendor's own address. */
export function fetchFrom(vendor: Pick<EmbeddingVendor, "origin">, server: ScriptedServer): typeof globalThis.fetch {
  return (address, init) => {
    const asked = String(address);
    if (!asked.startsWith(`${vendor.origin}/`)) throw new Error(`a call to ${asked}, which is not the vendor's`);
    return fetch(server.origin + asked.slice(vendor.origin.length), init);
  };
}

/** The vendor's provider, its calls going to the fake. */
export function providerAt(vendor: EmbeddingVendor, server: ScriptedServer): AnyProvider<Embedder> {
  const fetch = fetchFrom(vendor, server);
  // biome-ignore lint/suspicious/noExplicitAny: each vendor has a configuration of its own
  const { create, complete, ...rest } = vendor.provider as Provider<any, Embedder>;
  return {
    ...rest,
    create: (config, context) => create(config, { ...context, fetch }),
    ...(complete && { complete: (config, context) => complete(config, { ...context, fetch }) }),
  };
}

/** An answer with its vectors changed. */
export function withVectors(
  { body, ...answer }: VendorAnswer,
  change: (vectors: readonly (readonly number[])[]) => readonly unknown[],
): VendorAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: the body is one of several vendors'
  const { data, embeddings } = body as any;
  if (data) {
    const changed = change(data.map(({ embedding }: { embedding: number[] }) => embedding));
    return {
      ...answer,
      body: { ...(body as object), data: changed.map((embedding, index) => ({ index, embedding })) },
    };
  }
  const changed = change(embeddings.map(({ values }: { values: number[] }) => values));
  return { ...answer, body: { embeddings: changed.map((values) => ({ values })) } };
}
