import { inspect } from "node:util";
import type { KnowledgeBaseError } from "lorebase";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EventBus } from "#dist/events/event-bus.js";
import { createBatchingEmbedder } from "#dist/ingest/batching-embedder.js";
import { CallGuard } from "#dist/resilience/call-guard.js";
import { guardEmbedder } from "#dist/resilience/guarded-drivers.js";
import { embedderContract } from "#dist/testing/embedder-contract.js";
import type { Embedder } from "../../src/interfaces/embedder.js";
import { failureOf } from "../support/knowledge-base.js";
import { EMBEDDING_VENDORS, fetchFrom, KEY, providerAt, withVectors } from "../support/vendors/hosted-embedders.js";
import { type Fault, type ScriptedServer, tooMany, type VendorAnswer } from "../support/vendors/scripted-server.js";

const TIMEOUT_MS = 60_000;
const TEXTS = ["The lease ends in March.", "Une façade à l'ombre.", "日本語の短い文です。"];

interface World {
  readonly server: ScriptedServer;
  readonly embedder: Embedder;
  /** Of the waits between attempts, none of which takes time here. */
  readonly waits: number[];
  embed(): Promise<readonly Float32Array[]>;
  failure(): Promise<KnowledgeBaseError>;
}

describe.each(EMBEDDING_VENDORS)("$name", (vendor) => {
  const config = (more: Record<string, unknown> = {}) =>
    vendor.provider.config.parse({ provider: vendor.name, ...vendor.config, ...more });

  async function world({ key = KEY, stalls = 0, more = {} } = {}): Promise<World> {
    const server = await vendor.serve(key);
    const waits: number[] = [];
    let toStall = stalls;
    const guard = new CallGuard({
      limits: { attempts: 4, backoffMs: 100, timeoutMs: TIMEOUT_MS },
      clock: {
        now: Date.now,
        random: () => 0.5,
        // Only an attempt's own limit passes as time does, and is short for the calls that are to stall.
        sleep: (ms, signal) => {
          if (ms !== TIMEOUT_MS) waits.push(ms);
          return ms === TIMEOUT_MS ? elapse(toStall-- > 0 ? 100 : TIMEOUT_MS, signal) : Promise.resolve();
        },
      },
      events: new EventBus(),
    });
    const driver = await providerAt(vendor, server).create(config(more), { modelsDirectory: "", fetch });
    const embedder = guardEmbedder(driver, guard);
    const embed = () => embedder.embed(TEXTS, { purpose: "document" });
    return { server, embedder, waits, embed, failure: () => failureOf(embed) };
  }

  /** Vectors as the vendor gives them without any fault. */
  async function right(): Promise<readonly Float32Array[]> {
    return (await world()).embed();
  }

  it("gives one vector of length 1 a text, and asks for documents and queries by their names", async () => {
    const { server, embedder } = await world();
    const documents = await embedder.embed(TEXTS, { purpose: "document" });
    const [query] = await embedder.embed([TEXTS[0]!], { purpose: "query" });
    for (const vector of [...documents, query!]) {
      expect(vector).toHaveLength(vendor.dimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
    if (vendor.name === "VOYAGE") {
      expect(first).toContain('"input_type":"document"');
      expect(second).toContain('"input_type":"query"');
    }
    if (vendor.name === "GOOGLE") {
      expect(first!.match(/"taskType":"RETRIEVAL_DOCUMENT"/g)).toHaveLength(TEXTS.length);
      expect(second).toContain('"taskType":"RETRIEVAL_QUERY"');
    }
  });

  it("calls nothing merely to be opened", async () => {
    const { server } = await world();
    expect(server.requests).toHaveLength(0);
  });

  it("sends more texts than one call takes in two, and keeps their order", async () => {
    const { server, embedder } = await world();
    const texts = Array.from({ length: vendor.batch + 1 }, (_, index) => `text ${index}`);
    const vectors = await createBatchingEmbedder(embedder, {}).embed(texts);
    expect(server.requests).toHaveLength(2);
    const again = await embedder.embed([texts[0]!, texts.at(-1)!], { purpose: "document" });
    expect([vectors[0]!.vector, vectors.at(-1)!.vector]).toEqual(again);
  });

  it("doesn't send texts without content, whose vectors are all zeros", async () => {
    const { server, embedder } = await world();
    expect(await embedder.embed(["", " \n"], { purpose: "document" })).toEqual([
      new Float32Array(vendor.dimensions),
      new Float32Array(vendor.dimensions),
    ]);
    expect(server.requests).toHaveLength(0);
    const [blank, text] = await embedder.embed(["\t", TEXTS[0]!], { purpose: "document" });
    expect(blank!.every((value) => value === 0)).toBe(true);
    expect(text).toEqual((await right())[0]);
  });

  const transient: [string, Fault, { stalls?: true; waits?: number[] }][] = [
    ["429 with Retry-After", tooMany(vendor.refusal("slow down"), "7"), { waits: [7050] }],
    ["429 without Retry-After", tooMany(vendor.refusal("slow down")), { waits: [50] }],
    ["500", { status: 500, body: vendor.refusal("an error on our side") }, { waits: [50] }],
    ["503 of a proxy", { status: 503, body: "<html>down</html>", headers: { "content-type": "text/html" } }, {}],
    ["malformed JSON", "malformed", {}],
    ["HTML", "html", {}],
    ["NaN", (answer) => ({ ...answer, body: JSON.stringify(answer.body).replace(/-?0\.\d+/, "NaN") }), {}],
    [
      "a number beyond all",
      (answer) => ({ ...answer, body: JSON.stringify(answer.body).replace(/-?0\.\d+/, "1e999") }),
      {},
    ],
    ["a connection closed", "refuse", {}],
    ["a reset in mid-body", "reset", {}],
    ["a stall", "stall", { stalls: true }],
    ["a stall in mid-body", "stall-in-body", { stalls: true }],
  ];

  it.each(transient)("embeds all the same after %s", async (_, fault, { stalls, waits }) => {
    const { server, embed, waits: waited } = await world({ stalls: stalls ? 1 : 0 });
    server.failNext(fault);
    expect(await embed()).toEqual(await right());
    expect(server.requests).toHaveLength(2);
    if (waits) expect(waited).toEqual(waits);
  });

  it.each(transient)("fails for now, and says why, where it stays with %s", async (_, fault, { stalls }) => {
    const { server, failure } = await world({ stalls: stalls ? 4 : 0 });
    server.failNext(fault, 20);
    const error = await failure();
    expect(error).toMatchObject({ code: "provider_failed", retryable: true });
    expect(error.message).toContain(stalls ? "timed out after" : vendor.vendor);
    expect(server.requests).toHaveLength(4);
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
  });

  it("hands on a wait that is too long", async () => {
    const { server, failure } = await world();
    server.failNext(tooMany(vendor.refusal("come back tomorrow"), "86400"));
    expect(await failure()).toMatchObject({ retryable: true, retryAfterMs: 86_400_000, httpStatus: 429 });
    expect(server.requests).toHaveLength(1);
  });

  const vectors =
    (change: Parameters<typeof withVectors>[1]) =>
    (answer: VendorAnswer): VendorAnswer =>
      withVectors(answer, change);
  const permanent: [string, Fault, RegExp][] = [
    ["400", { status: 400, body: vendor.refusal("one text is too long") }, /answered 400: one text is too long/],
    ["403", { status: 403, body: vendor.refusal("not for you") }, /answered 403: not for you/],
    ["413", { status: 413, body: vendor.refusal("too large") }, /answered 413: too large/],
    ["a vector too few", vectors((all) => all.slice(1)), /2 vectors for 3 texts/],
    ["a vector too many", vectors((all) => [...all, all[0]!]), /4 vectors for 3 texts/],
    ["one vector for all texts", vectors((all) => all.slice(0, 1)), /1 vectors for 3 texts/],
    ["another dimension", vectors((all) => all.map((one) => one.slice(1))), /dimensions instead of \d+/],
  ];

  it.each(permanent)("fails for good with %s", async (_, fault, message) => {
    const { server, failure } = await world();
    server.failNext(fault);
    const error = await failure();
    expect(error).toMatchObject({ code: "provider_failed", retryable: false });
    expect(error.message).toMatch(message);
    expect(server.requests).toHaveLength(1);
  });

  it("fails for good with a key that the vendor refuses, and doesn't show it", async () => {
    const { server, failure } = await world({ key: "another" });
    const error = await failure();
    expect(error).toMatchObject({ code: "provider_failed", retryable: false, httpStatus: vendor.refused.status });
    expect(error.message).toMatch(vendor.refused.message);
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
    expect(server.requests).toHaveLength(1);
  });

  it.runIf(vendor.indexed)(
    "puts vectors in the order of their texts where the answer says which is which",
    async () => {
      const { server, embed } = await world();
      const reversed: Fault = ({ body, ...answer }) => ({
        ...answer,
        body: { ...(body as object), data: (body as { data: unknown[] }).data.toReversed() },
      });
      server.failNext(reversed);
      expect(await embed()).toEqual(await right());
    },
  );

  it.runIf(vendor.indexed)("fails for good where two vectors are of one text", async () => {
    const { server, failure } = await world();
    server.failNext(({ body, ...answer }) => {
      const { data, ...rest } = body as { data: object[] };
      return { ...answer, body: { ...rest, data: data.map((one) => ({ ...one, index: 1 })) } };
    });
    expect(await failure()).toMatchObject({
      retryable: false,
      message: expect.stringContaining("repeated or unexpected vector for text 1"),
    });
  });

  it("ends with its caller's signal", async () => {
    const { server, embedder } = await world();
    server.failNext("stall");
    const caller = new AbortController();
    const call = embedder.embed(TEXTS, { purpose: "document", signal: caller.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    const reason = new DOMException("enough", "AbortError");
    caller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  describe("keeps the promises of an embedder:", () => {
    let server: ScriptedServer;
    let embedder: Embedder;
    beforeAll(async () => {
      server = await vendor.serve(KEY);
      const context = { modelsDirectory: "", fetch: fetchFrom(vendor, server) };
      embedder = await vendor.provider.create(config(), context);
    });
    afterAll(() => server.close());
    for (const { name, run } of embedderContract(async () => embedder)) it(name, run);
  });
});

function elapse(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}
