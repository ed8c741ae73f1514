import { inspect } from "node:util";
import type { Reranker, RerankOptions } from "lorebase";
import { rerankerContract } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { batchingReranker } from "#dist/providers/batching-reranker.js";
import { cohereReranking } from "#dist/rerankers/cohere/provider.js";
import { zeroEntropyReranking } from "#dist/rerankers/zeroentropy/provider.js";
import type { CallUsage } from "../../src/interfaces/hosted.js";
import type { AnyProvider } from "../../src/interfaces/provider.js";
import { failureOf } from "../support/knowledge-base.js";
import { cohereServer } from "../support/vendors/cohere.js";
import { type Fault, type ScriptedServer, tooMany, type VendorAnswer } from "../support/vendors/scripted-server.js";
import { zeroEntropyServer } from "../support/vendors/zeroentropy.js";

const KEY = "sk-canary-71b0f6";
const QUERY = "when is the lamp lit";
const PASSAGES = ["Bread is baked at dawn.", "The lamp is lit at dusk.", "When the lamp is lit, ships turn."];

const vendors = {
  cohere: {
    start: () => cohereServer(KEY),
    provider: (origin: string, apiKey = KEY) => cohereReranking({ apiKey, baseUrl: `${origin}/v2` }),
    model: "rerank-v4.0-pro",
    says: (reason: string) => ({ message: reason }),
    title: "Cohere",
  },
  zeroentropy: {
    start: () => zeroEntropyServer(KEY),
    provider: (origin: string, apiKey = KEY) => zeroEntropyReranking({ apiKey, baseUrl: `${origin}/v1` }),
    model: "zerank-2",
    says: (reason: string) => ({ detail: reason }),
    title: "ZeroEntropy",
  },
} as const;

type Vendor = keyof typeof vendors;

async function open(
  vendor: Vendor,
  origin: string,
  options: { apiKey?: string; model?: string } = {},
): Promise<Reranker> {
  const provider: AnyProvider<Reranker> = vendors[vendor].provider(origin, options.apiKey);
  const config = provider.config.parse({ provider: vendor, ...(options.model && { model: options.model }) });
  return provider.create(config, { modelsDirectory: "", fetch });
}

const call = (reranker: Reranker, options: Partial<RerankOptions> = {}) =>
  reranker.rerank(QUERY, PASSAGES, { limit: PASSAGES.length, ...options });

/** The right answer with other results. */
const results =
  (change: (all: { index: number; relevance_score: number }[]) => unknown): Fault =>
  (answer: VendorAnswer) => {
    const body = answer.body as { results: { index: number; relevance_score: number }[] };
    return { ...answer, body: { ...body, results: change(body.results) } };
  };

describe.each(Object.keys(vendors) as Vendor[])("%s", (vendor) => {
  const { start, says, model, title } = vendors[vendor];

  describe("contract", () => {
    let shared: ScriptedServer;
    beforeAll(async () => {
      shared = await start();
    });
    afterAll(() => shared.close());
    for (const { name, run } of rerankerContract(() => open(vendor, shared.origin))) it(name, run);
  });

  it("asks for what is wanted under the key, and tells what it cost", async () => {
    const server = await start();
    const reranker = await open(vendor, server.origin);
    const costs: CallUsage[] = [];
    const ranked = await call(reranker, { limit: 2, onUsage: (usage) => costs.push(usage) });
    expect(ranked.map(({ index }) => index)).toEqual([2, 1]);
    expect(reranker.model).toBe(`${vendor}:${model}`);
    const [request] = server.requests;
    expect(request!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(request!.body).toMatchObject({ model, query: QUERY, documents: PASSAGES, top_n: 2 });
    expect(request!.body.max_tokens_per_doc).toBe(vendor === "cohere" ? 4096 : undefined);
    const bytes = PASSAGES.reduce((sum, passage) => sum + 150 + QUERY.length + passage.length, 0);
    expect(costs).toEqual([vendor === "cohere" ? { units: 1 } : { units: bytes, inputTokens: Math.ceil(bytes / 4) }]);
  });

  it("sends of a query as much as the service takes", async () => {
    const server = await start();
    const reranker = await open(vendor, server.origin);
    const query = "灯".repeat(8000);
    await reranker.rerank(query, PASSAGES, { limit: 3 });
    // Two tokens a character, and two for the ends.
    expect(server.requests[0]!.body.query).toBe(query.slice(0, vendor === "cohere" ? 1023 : undefined));
  });

  it("sends nothing blank, and gives it 0", async () => {
    const server = await start();
    const reranker = await open(vendor, server.origin);
    const ranked = await reranker.rerank("lamp", ["", "a lamp", " \n"], { limit: 3 });
    expect(ranked.map(({ index }) => index)).toEqual([1, 0, 2]);
    expect(ranked.slice(1).map(({ score }) => score)).toEqual([0, 0]);
    expect(server.requests[0]!.body.documents).toEqual(["a lamp"]);
    expect(await reranker.rerank(" ", ["a lamp", "b"], { limit: 1 })).toEqual([{ index: 0, score: 0 }]);
    expect(server.requests).toHaveLength(1);
  });

  it("takes results in any order", async () => {
    const server = await start();
    const reranker = await open(vendor, server.origin);
    const right = await call(reranker);
    server.failNext(results((all) => all.toReversed()));
    expect(await call(reranker)).toEqual(right);
  });

  it.each<[string, Fault, RegExp]>([
    ["one result too few", results((all) => all.slice(1)), /returned 2 passages instead of 3/],
    ["one result too many", results((all) => [...all, all[0]]), /returned 4 passages instead of 3/],
    ["a passage twice", results((all) => [all[0], all[0], all[1]]), /passage 2 twice/],
    [
      "a passage out of range",
      results((all) => [{ ...all[0], index: 3 }, ...all.slice(1)]),
      /passage 3, but was given 3/,
    ],
    ["a negative index", results((all) => [{ ...all[0], index: -1 }, ...all.slice(1)]), /passage -1, but was given 3/],
    ["half an index", results((all) => [{ ...all[0], index: 0.5 }, ...all.slice(1)]), /passage 0.5, but was given 3/],
    ["a score above 1", results((all) => [{ ...all[0], relevance_score: 1.01 }, ...all.slice(1)]), /a score of 1.01/],
    ["a score below 0", results((all) => [{ ...all[0], relevance_score: -0.2 }, ...all.slice(1)]), /a score of -0.2/],
  ])("refuses %s for good", async (_, fault, message) => {
    const server = await start();
    server.failNext(fault);
    const error = await failureOf(async () => call(await open(vendor, server.origin)));
    expect([error.code, error.retryable]).toEqual(["provider_failed", false]);
    expect(error.message).toMatch(message);
  });

  it.each<[string, Fault, RegExp]>([
    ["NaN for a score", { body: '{"results":[{"index":0,"relevance_score":NaN}]}' }, /Invalid JSON/],
    ["no score", results((all) => all.map(({ index }) => ({ index, relevance_score: null }))), /Invalid JSON/],
    ["malformed JSON", "malformed", /Invalid JSON/],
    ["HTML", "html", /Invalid JSON/],
    ["an empty body", { body: "" }, /Invalid JSON/],
    ["a connection that is refused", "refuse", /other side closed/],
    ["a connection that breaks amid the answer", "reset", /aborted|terminated|other side closed/],
    ["500", { status: 500, body: says("try later") }, /answered 500: try later/],
    [
      "502 of a proxy",
      { status: 502, headers: { "content-type": "text/html" }, body: "<html></html>" },
      /answered 502: Bad Gateway/,
    ],
  ])("fails in passing with %s, and works when asked again", async (_, fault, message) => {
    const server = await start();
    server.failNext(fault);
    const reranker = await open(vendor, server.origin);
    const error = await failureOf(() => call(reranker));
    expect([error.code, error.retryable, error.retryAfterMs]).toEqual(["provider_failed", true, null]);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(title);
    expect(await call(reranker)).toHaveLength(3);
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ["7", 7000],
    [undefined, null],
  ])("fails in passing with 429, and says how long to wait: Retry-After %s", async (retryAfter, expected) => {
    const server = await start();
    server.failNext(tooMany(says("You are past the per minute request limit"), retryAfter));
    const error = await failureOf(async () => call(await open(vendor, server.origin)));
    expect([error.code, error.retryable, error.retryAfterMs]).toEqual(["provider_failed", true, expected]);
    expect(error.message).toBe(`${title} answered 429: You are past the per minute request limit`);
  });

  it("fails for good with a key that is refused, and shows it nowhere", async () => {
    const server = await start();
    const wrong = await failureOf(async () => call(await open(vendor, server.origin, { apiKey: "sk-other" })));
    expect([wrong.code, wrong.retryable]).toEqual(["provider_failed", false]);
    expect(wrong.message).toMatch(
      vendor === "cohere" ? /answered 401: invalid api token/ : /answered 401: Invalid API key/,
    );
    server.failNext({ status: 401, body: says(`Incorrect key ${KEY} provided`) });
    const quoted = await failureOf(async () => call(await open(vendor, server.origin)));
    expect(quoted.message).toBe(`${title} answered 401: Incorrect key •••• provided`);
    for (const error of [wrong, quoted]) {
      expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/canary|lamp is lit/);
    }
  });

  it("passes the vendor's reason on for a model that there is not", async () => {
    const server = await start();
    const error = await failureOf(async () => call(await open(vendor, server.origin, { model: "rerank-v9" })));
    expect([error.code, error.retryable]).toEqual(["provider_failed", false]);
    expect(error.message).toMatch(/answered 4\d\d: .*rerank-v9/);
  });

  it.each<Fault>(["stall", "stall-in-body"])("ends a call that stalls with the caller's signal: %s", async (fault) => {
    const server = await start();
    const controller = new AbortController();
    server.failWhen(() => {
      setImmediate(() => controller.abort());
      return fault;
    });
    const stalled = call(await open(vendor, server.origin), { signal: controller.signal });
    await expect(stalled).rejects.toMatchObject({ name: "AbortError" });
  });
});

it("judges more passages than one call of Cohere's takes in several", async () => {
  const server = await cohereServer(KEY);
  const reranker = batchingReranker(await open("cohere", server.origin));
  const passages = Array.from(
    { length: 2500 },
    (_, index) => `passage ${index}${index % 500 === 7 ? " with a lamp" : ""}`,
  );
  const ranked = await reranker.rerank("lamp", passages, { limit: 7 });
  expect(server.requests.map(({ body }) => body.documents.length).sort()).toEqual([1000, 1000, 500]);
  expect(ranked.slice(0, 5).map(({ index }) => index)).toEqual([7, 507, 1007, 1507, 2007]);
  expect(ranked).toHaveLength(7);
  expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).toSorted((a, b) => b - a));
});

it("keeps each call of ZeroEntropy's within its bytes, of which a query takes its share for every passage", async () => {
  const server = await zeroEntropyServer(KEY);
  const reranker = batchingReranker(await open("zeroentropy", server.origin));
  const query = "ä".repeat(4000);
  const passages = Array.from({ length: 100 }, (_, index) => `${"é".repeat(60_000)} ${index}`);
  const ranked = await reranker.rerank(query, passages, { limit: 100 });
  expect(ranked.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([...passages.keys()]);
  expect(server.requests.length).toBe(3);
});
