import { KnowledgeBaseError } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hostedProviders } from "../support/hosted-stores.js";
import { expectFailure } from "./support/envelope.js";
import { authorized, send } from "./support/send.js";
import { startServer, type TestServer } from "./support/test-server.js";

const LEXICAL = { provider: "MANAGED_LEXICAL" };
const apiKey = "sk-0123456789abcdef";
const PINECONE = { provider: "PINECONE", apiKey, indexHost: "docs.svc.pinecone.example" };
const TURBOPUFFER = { provider: "TURBOPUFFER", apiKey, region: "no-such-region-1" };
const OPENAI = { provider: "OPENAI", apiKey, model: "text-embedding-3-small" };
const AZURE = { ...OPENAI, provider: "AZURE_OPENAI", resourceName: "acme", deployment: "docs" };
const NO_ANSWER = "does not respond, or is not a public host (the option network.allowPrivateHosts can allow it).";

/** The engine's own fetch, with names that do not resolve. */
const unresolving: typeof fetch = async (address) => {
  const cause = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  throw new KnowledgeBaseError("provider_failed", `${new URL(String(address)).origin} ${NO_ANSWER}`, {
    retryable: true,
    cause: Object.assign(new TypeError("fetch failed"), { cause }),
  });
};

let server: TestServer;
let headers: Record<string, string>;
beforeAll(async () => {
  server = await startServer({ worker: false, vectorStores: hostedProviders({ fetch: unresolving }, unresolving) });
  const { key } = await server.kb.apiKeys.create({ name: "Tests", scope: "admin" });
  headers = authorized(key);
});
afterAll(() => server.close());

async function refusalOf(configs: object, status: number): Promise<string> {
  const body = JSON.stringify({ name: "Refused", slug: "refused", ...configs });
  const answer = await send(server.url, { method: "POST", path: "/v1/namespace", headers, body });
  return expectFailure(answer, status);
}

it.each([
  [400, "indexHost", PINECONE, `https://docs.svc.pinecone.example ${NO_ANSWER}`],
  [400, "region", TURBOPUFFER, `https://no-such-region-1.turbopuffer.com ${NO_ANSWER}`],
  [422, "indexHost", { ...PINECONE, indexHost: "not a host" }, /must be the host of an index, .*, got "not a host"$/],
  [
    422,
    "indexHost",
    { ...PINECONE, indexHost: "https://a.example/b" },
    /without a path, .*, got "https:..a.example.b"$/,
  ],
  [422, "indexHost", { ...PINECONE, indexHost: "a..example" }, /, got "a\.\.example"$/],
  [422, "indexHost", { ...PINECONE, indexHost: "me:secret@a.example" }, /pinecone\.io$/],
  [422, "indexHost", { ...PINECONE, indexHost: "10.0.0.1" }, /^10\.0\.0\.1 is not a public host;/],
  [422, "indexHost", { provider: "PINECONE", apiKey }, /expected string/],
  [422, "apiKey", { ...PINECONE, apiKey: "" }, "must be an API key as issued by the vendor"],
  [422, "apiKey", { ...TURBOPUFFER, apiKey: "two words" }, "must be an API key as issued by the vendor"],
  [422, "region", { ...TURBOPUFFER, region: "no where" }, 'must be a region, such as aws-us-east-1, got "no where"'],
])("%i names vectorStoreConfig.%s: %j", async (status, field, vectorStoreConfig, problem) => {
  const message = await refusalOf({ embeddingConfig: LEXICAL, vectorStoreConfig }, status);
  const begin = `vectorStoreConfig.${field}: `;
  expect(message.slice(0, begin.length)).toBe(begin);
  expect(message.slice(begin.length)).toEqual(typeof problem === "string" ? problem : expect.stringMatching(problem));
});

it.each([
  ["model", { ...LEXICAL, model: "other" }],
  ["model", { provider: "MANAGED_STATIC", model: "other" }],
  ["dtype", { provider: "MANAGED_TRANSFORMERS", dtype: "q1" }],
  ["pooling", { provider: "MANAGED_TRANSFORMERS", pooling: "most" }],
  ["queryPrefix", { provider: "MANAGED_TRANSFORMERS", queryPrefix: 5 }],
  ["apiKey", { ...OPENAI, apiKey: 5 }],
  ["model", { ...OPENAI, model: "" }],
  ["dimensions", { ...OPENAI, dimensions: 0 }],
  ["baseUrl", { ...OPENAI, baseUrl: "http://10.0.0.1/v1" }],
  ["resourceName", { ...AZURE, resourceName: "a.b/c" }],
  ["deployment", { ...AZURE, deployment: "a/b" }],
  ["apiVersion", { ...AZURE, apiVersion: 5 }],
  ["dimensions", { provider: "VOYAGE", apiKey, model: "voyage-3", dimensions: 1 }],
  ["dimensions", { provider: "GOOGLE", apiKey, model: "gemini-embedding-001", dimensions: "x" }],
])("422 names embeddingConfig.%s: %j", async (field, embeddingConfig) => {
  const begin = `embeddingConfig.${field}: `;
  expect((await refusalOf({ embeddingConfig }, 422)).slice(0, begin.length)).toBe(begin);
});

it("lists the known providers for an unknown one", async () => {
  const message = await refusalOf({ embeddingConfig: { provider: "OPENAY" } }, 422);
  expect(message).toMatch(
    /^embeddingConfig\.provider is "OPENAY", which is not a provider; did you mean OPENAI\? Available: MANAGED_TRANSFORMERS, /,
  );
});
