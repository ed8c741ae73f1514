import { inspect } from "node:util";
import { createOpenAI } from "@ai-sdk/openai";
import { Pinecone } from "@pinecone-database/pinecone";
import { Turbopuffer } from "@turbopuffer/turbopuffer";
import { expect, it } from "vitest";
import { vendorError } from "#dist/net/vendor-error.js";
import { guarded } from "../support/guarded.js";
import { listener } from "../support/listener.js";

const PRIVATE = "http://169.254.169.254";

/** A service that answers every call with this, and tells what it was asked. */
async function service(answer: unknown) {
  const asked: string[] = [];
  const { port } = await listener(async (request, out) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    asked.push(`${request.method} ${request.url}`);
    out.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  return { url: `http://127.0.0.1:${port}`, asked, fetch: guarded({ allowPrivateHosts: ["127.0.0.1"] }) };
}

/** Packages wrap what the fetch throws: what a driver makes of it is our own refusal all the same, not to be repeated. */
async function refuses(call: () => PromiseLike<unknown>) {
  const cause: unknown = await Promise.resolve(call()).then(
    () => null,
    (error: unknown) => error,
  );
  const failure = vendorError({ code: "provider_failed", vendor: "V", status: null, message: "failed", cause });
  expect(inspect(failure, { depth: 9 })).toContain("network.allowPrivateHosts");
  expect(failure.retryable).toBe(false);
}

it("is taken by the AI SDK's packages", async () => {
  const { url, asked, fetch } = await service({
    ...{ object: "list", model: "m", usage: { prompt_tokens: 2, total_tokens: 2 } },
    data: [{ object: "embedding", index: 0, embedding: [0.6, 0.8] }],
  });
  const embed = (baseURL: string) =>
    createOpenAI({ apiKey: "k", baseURL, fetch })
      .embedding("text-embedding-3-small")
      .doEmbed({ values: ["a lamp"] });
  expect((await embed(url)).embeddings).toEqual([[0.6, 0.8]]);
  expect(asked).toEqual(["POST /embeddings"]);
  await refuses(() => embed(PRIVATE));
});

it("is taken by Pinecone's package", async () => {
  const { url, asked, fetch } = await service({ matches: [], namespace: "n", usage: { readUnits: 1 } });
  const query = (host: string) =>
    new Pinecone({ apiKey: "k", fetchApi: fetch, maxRetries: 0 }).index({ host }).query({ vector: [1, 0], topK: 1 });
  expect((await query(url)).matches).toEqual([]);
  expect(asked).toEqual(["POST /query"]);
  await refuses(() => query(PRIVATE));
});

it("is taken by Turbopuffer's package", async () => {
  const { url, asked, fetch } = await service({ rows: [], billing: {}, performance: {} });
  const query = (baseURL: string) =>
    new Turbopuffer({ apiKey: "k", baseURL, fetch, maxRetries: 0 })
      .namespace("n")
      .query({ rank_by: ["vector", "ANN", [1, 0]], top_k: 1 } as never);
  expect((await query(url)).rows).toEqual([]);
  expect(asked).toEqual(["POST /v2/namespaces/n/query"]);
  await refuses(() => query(PRIVATE));
});
