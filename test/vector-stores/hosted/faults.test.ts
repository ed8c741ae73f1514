import { parseFilter } from "lorebase";
import { describe, expect, it } from "vitest";
import type { VectorRecord, VectorStore } from "../../../src/interfaces/vector-store.js";
import type { Metadata, Scope } from "../../../src/types.js";
import { newPinecone, newTurbopuffer, openPinecone, openTurbopuffer } from "../../support/hosted-stores.js";
import { failureOf } from "../../support/knowledge-base.js";
import { type Fault, type ScriptedServer, tooMany, type VendorAnswer } from "../../support/vendors/scripted-server.js";

const SCOPE: Scope = { organizationId: "org_1", namespaceId: "ns_1", tenantId: null };
const NEAREST = { vector: Float32Array.of(1, 0, 0), topK: 3, filter: null };

function record(n: number, metadata: Metadata = {}, vector = Float32Array.of(1, n, 0)): VectorRecord {
  return {
    id: `doc_1.1.${n}`,
    documentId: "doc_1",
    generation: 1,
    vector,
    metadata: { ...metadata, documentId: "doc_1" },
  };
}

const VENDORS: readonly {
  readonly vendor: string;
  open(): Promise<{ store: VectorStore; vendor: ScriptedServer; wrongKey: VectorStore }>;
}[] = [
  {
    vendor: "Pinecone",
    async open() {
      const { store, vendor } = await newPinecone();
      return { store, vendor, wrongKey: await openPinecone(vendor, "pc-canary") };
    },
  },
  {
    vendor: "Turbopuffer",
    async open() {
      const { store, vendor } = await newTurbopuffer();
      return { store, vendor, wrongKey: await openTurbopuffer(vendor, "tpuf-canary") };
    },
  },
];

/** Which failures may pass, and which will not. */
const FAULTS: readonly (readonly [name: string, fault: Fault, retryable: boolean, retryAfterMs: number | null])[] = [
  ["429 with Retry-After", tooMany({ message: "slow down" }, "7"), true, 7000],
  ["429 without Retry-After", tooMany({ message: "slow down" }), true, null],
  ["500", { status: 500, body: { message: "internal" } }, true, null],
  ["503 of a gateway", { status: 503, body: "<html>unavailable</html>" }, true, null],
  ["400", { status: 400, body: { error: "no such thing" } }, false, null],
  ["402", { status: 402, body: { message: "pay first" } }, false, null],
  ["403", { status: 403, body: { message: "quota" } }, false, null],
  ["malformed JSON", "malformed", true, null],
  ["HTML", "html", true, null],
  ["a reset in mid-body", "reset", true, null],
  ["a connection refused", "refuse", true, null],
  [
    "an answer of another shape",
    { status: 200, body: { matches: "none", rows: 3, upsertedCount: "many" } },
    true,
    null,
  ],
];

describe.each(VENDORS)("$vendor", ({ vendor: name, open }) => {
  it.each(FAULTS)("tells what %s means, once, and goes on when it has passed", async (_, fault, retryable, afterMs) => {
    const { store, vendor } = await open();
    await store.upsert(SCOPE, [record(0)]);
    for (const call of [() => store.query(SCOPE, NEAREST), () => store.upsert(SCOPE, [record(1)])]) {
      const before = vendor.requests.length;
      vendor.failNext(fault);
      const error = await failureOf(call);
      expect(error.message).toMatch(new RegExp(`^${name} `));
      expect([error.code, error.retryable, error.retryAfterMs]).toEqual(["store_failed", retryable, afterMs]);
      expect(vendor.requests.length - before).toBe(1);
      await call();
    }
    const found = await store.query(SCOPE, NEAREST);
    expect(found.map(({ id }) => id)).toEqual(["doc_1.1.0", "doc_1.1.1"]);
  });

  it("says for good that a key is refused, without the key", async () => {
    const { wrongKey } = await open();
    const error = await failureOf(() => wrongKey.query(SCOPE, NEAREST));
    expect([error.code, error.retryable, error.httpStatus]).toEqual(["store_failed", false, 401]);
    expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain("canary");
  });

  it.each<VendorAnswer>([
    { status: 400, body: { message: "the key pc-canary tpuf-canary is old" } },
    { status: 200, body: "key pc-canary tpuf-canary" },
  ])("hides the key where the vendor repeats it: %j", async (answer) => {
    const { wrongKey, vendor } = await open();
    vendor.failNext(answer);
    const key = name === "Pinecone" ? "pc-canary" : "tpuf-canary";
    expect((await failureOf(() => wrongKey.query(SCOPE, NEAREST))).message).not.toContain(key);
  });

  it("is ended by its caller amid a stall, and passes the reason on", async () => {
    const { store, vendor } = await open();
    for (const fault of ["stall", "stall-in-body"] as const) {
      vendor.failNext(fault);
      const controller = new AbortController();
      const reason = new DOMException("enough", "AbortError");
      const calling = store.upsert(SCOPE, [record(0)], { signal: controller.signal });
      const came = vendor.requests.length;
      while (vendor.requests.length === came) await new Promise((resolve) => setImmediate(resolve));
      controller.abort(reason);
      await expect(calling).rejects.toBe(reason);
    }
  });

  it("doesn't take fewer records than were sent for success", async () => {
    const { store, vendor } = await open();
    vendor.failNext(({ body }) => ({ body: { ...(body as object), upsertedCount: 1, rows_upserted: 1 } }));
    const error = await failureOf(() => store.upsert(SCOPE, [record(0), record(1)]));
    expect(error.message).toContain("1 of 2");
    expect(error.retryable).toBe(true);
  });

  it("keeps zeros, which the vendor refuses, apart from what stands in for them", async () => {
    const { store } = await open();
    const zeros = [10, 11, 12, 13].map((n) => record(n, { kind: "zeros" }, new Float32Array(3)));
    const near = [1, 2, 3].map((n) => record(n, { kind: "near" }, Float32Array.of(1, n, 0)));
    const far = [4, 5].map((n) => record(n, { kind: "far" }, Float32Array.of(-1, n, 0)));
    await store.upsert(SCOPE, [...zeros, ...near, ...far]);
    const ids = async (topK: number, x: number) =>
      (await store.query(SCOPE, { vector: Float32Array.of(x, 0, 0), topK, filter: null })).map(({ id }) =>
        Number(id.split(".")[2]),
      );
    expect(await ids(4, 1)).toEqual([1, 2, 3, 10]);
    expect(await ids(9, 1)).toEqual([1, 2, 3, 10, 11, 12, 13, 5, 4]);
    // The stand-in of zeros is the farthest of all from this one.
    expect(await ids(4, -1)).toEqual([4, 5, 10, 11]);
    expect(await ids(7, -1)).toEqual([4, 5, 10, 11, 12, 13, 3]);
    await store.delete(SCOPE, {
      documentId: "doc_1",
      generation: 1,
      ids: [...zeros, ...near, ...far].map(({ id }) => id),
    });
    expect(await ids(9, 1)).toEqual([]);
  });

  it("asks nothing where a filter can't be met", async () => {
    const { store, vendor } = await open();
    expect(await store.query(SCOPE, { ...NEAREST, filter: parseFilter({ year: { $in: [] } }) })).toEqual([]);
    expect(vendor.requests).toHaveLength(0);
  });
});

describe("Pinecone", () => {
  it("packs records into requests of a thousand and of two megabytes", async () => {
    const { store, vendor } = await newPinecone();
    await store.upsert(
      SCOPE,
      Array.from({ length: 2001 }, (_, n) => record(n)),
    );
    expect(vendor.requests.map(({ body }) => body.vectors.length)).toEqual([1000, 1000, 1]);
    const wide = await newPinecone({ dimension: 3072 });
    const vector = Float32Array.from({ length: 3072 }, (_, index) => Math.sin(index + 1));
    await wide.store.upsert(
      SCOPE,
      Array.from({ length: 200 }, (_, n) => record(n, {}, vector)),
    );
    const sizes = wide.vendor.requests.map(({ body }) => Buffer.byteLength(JSON.stringify(body)));
    expect(sizes.every((size) => size <= 2_000_000)).toBe(true);
    expect(sizes.length).toBe(Math.ceil(sizes.reduce((total, size) => total + size, 0) / 2_000_000));
  });

  it("refuses metadata that Pinecone can't hold, by the document and the key", async () => {
    const { store, vendor } = await newPinecone();
    const tags = Array.from({ length: 3000 }, (_, index) => `tag number ${index}`);
    const error = await failureOf(() => store.upsert(SCOPE, [record(0, { year: 2026, tags })]));
    expect([error.code, error.retryable]).toEqual(["limit_exceeded", false]);
    expect(error.message).toMatch(/^The metadata of doc_1 takes \d+ bytes .* 40960\. Its largest key is "tags"/);
    expect(vendor.requests).toHaveLength(0);
  });

  it("tells which ids its queries don't find yet, and deletes those too", async () => {
    const { store, vendor } = await newPinecone({ lag: 2 });
    const records = Array.from({ length: 1500 }, (_, n) => record(n, {}, Float32Array.of(n % 2, 0, 0)));
    const ids = records.map(({ id }) => id);
    await store.upsert(SCOPE, records);
    // Each look asks for both runs of a thousand numbers: the first two reads see nothing.
    expect(await store.findMissing!(SCOPE, ids)).toEqual(ids);
    expect(await store.findMissing!(SCOPE, ids)).toEqual([]);
    await store.upsert(SCOPE, [record(2000)]);
    await store.delete(SCOPE, { documentId: "doc_1", generation: 1, ids: [...ids, "doc_1.1.2000"] });
    expect([...vendor.contents().values()].flat()).toEqual([]);
  });

  it("checks an index's dimensions and metric", async () => {
    const { store } = await newPinecone({ dimension: 384 });
    await store.check!(384);
    const error = await failureOf(() => store.check!(1536));
    expect([error.code, error.message]).toEqual([
      "invalid_input",
      "vectorStoreConfig.indexHost: The index has 384 dimensions, but the embedder has 1536.",
    ]);
    const { store: euclidean } = await newPinecone({ metric: "euclidean" });
    expect((await failureOf(() => euclidean.check!(3))).message).toContain("euclidean");
  });
});

it("gives every scope a name of its own that any vendor takes", async () => {
  const { scopeName } = await import("#dist/vector-stores/hosted/scope-name.js");
  const tenants = [null, "", "a", "A", "a.b", "a/b", "é", "😀", "-", "_a", "x".repeat(64), "x".repeat(500), "\ud800"];
  const scopes = tenants.flatMap((tenantId) =>
    ["ns_1", "ns_1.a", "ns 1"].map((namespaceId) => ({ ...SCOPE, namespaceId, tenantId })),
  );
  const names = scopes.map((scope) => scopeName(scope));
  expect(new Set(names).size).toBe(scopes.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9-_.]{1,128}$/);
});
