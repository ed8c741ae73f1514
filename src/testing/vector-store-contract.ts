import assert from "node:assert/strict";
import { parseFilter } from "../filter.js";
import type { VectorMatch, VectorRecord, VectorStore } from "../interfaces/vector-store.js";
import type { Metadata, Scope } from "../types.js";
import { type ContractCase, createCaseFactory } from "./contract.js";

export interface VectorStoreContractOptions {
  /** Stores the chunks of records before each upsert, for a store whose vectors belong to chunks in a database. */
  readonly seed?: (scope: Scope, records: readonly VectorRecord[]) => Promise<void>;
  /** The order of equally similar records; a hosted store may not know the insertion order. @default "insertion" */
  readonly ties?: "insertion" | "ids";
}

const ACME: Scope = { organizationId: "org_one", namespaceId: "ns_one", tenantId: null };
const OTHERS: readonly Scope[] = [
  { ...ACME, tenantId: "acme" },
  { ...ACME, tenantId: "other" },
  { ...ACME, namespaceId: "ns_two" },
];

/** The query vector. A record's similarity to it is the cosine of the record's angle. */
const QUERY = Float32Array.of(1, 0, 0);
const QUERY_ALL = Object.freeze({ vector: QUERY, topK: 100, filter: null });
/** The tolerance for similarities in 32-bit floats. */
const TOLERANCE = 1e-5;

/**
 * Returns the contract of vector stores. `create` returns a new, empty store for each case; the case closes it.
 *
 * @example
 * for (const { name, run } of vectorStoreContract(create)) test(name, run);
 */
export function vectorStoreContract(
  create: () => Promise<VectorStore>,
  { seed, ties = "insertion" }: VectorStoreContractOptions = {},
): ContractCase[] {
  type PutRecords = (records: readonly VectorRecord[], scope?: Scope) => Promise<void>;
  const storeCase = createCaseFactory(create, (store) => store.close?.());
  const testCase = (name: string, check: (store: VectorStore, put: PutRecords) => Promise<void>) =>
    storeCase(name, (store) =>
      check(store, async (records, scope = ACME) => {
        await seed?.(scope, records);
        await store.upsert(scope, records);
      }),
    );

  return [
    testCase("returns the nearest first, with their cosine similarities", async (store, put) => {
      const angles = [70, 0, 180, 30, 110];
      await put(angles.map((angle) => record(`a${angle}`, { vector: vectorAt(angle) })));
      const matches = await store.query(ACME, QUERY_ALL);
      assertIds(matches, ["a0", "a30", "a70", "a110", "a180"]);
      assertSimilarities(matches, [0, 30, 70, 110, 180].map(cosineOf));
    }),
    testCase("compares directions regardless of lengths", async (store, put) => {
      const scales = [1, 3, 1e-6, 1e6, 1e-30, 1e30];
      await put(scales.map((scale, index) => record(`d${index}`, { vector: vectorAt(60, scale) })));
      for (const vector of [QUERY, Float32Array.of(1e-30, 0, 0), Float32Array.of(1e30, 0, 0)]) {
        const matches = await store.query(ACME, { ...QUERY_ALL, vector });
        assert.equal(matches.length, scales.length);
        assertSimilarities(
          matches,
          scales.map(() => 0.5),
        );
      }
    }),
    testCase(`orders equal similarities by ${ties}`, async (store, put) => {
      await put([record("b", { vector: vectorAt(45) }), record("a", { vector: vectorAt(45) })]);
      await put([record("near", { vector: vectorAt(10) }), record("c", { vector: vectorAt(45) })]);
      assertIds(await store.query(ACME, QUERY_ALL), ties === "ids" ? ["near", "a", "b", "c"] : ["near", "b", "a", "c"]);
      // A service may choose which of equal records it leaves out.
      if (ties === "insertion") assertIds(await store.query(ACME, { ...QUERY_ALL, topK: 2 }), ["near", "b"]);
    }),
    testCase("treats a zero vector as similar to nothing", async (store, put) => {
      const zero = new Float32Array(3);
      await put([
        record("zero", { vector: zero }),
        record("near", { vector: vectorAt(20) }),
        record("far", { vector: vectorAt(160) }),
      ]);
      const matches = await store.query(ACME, QUERY_ALL);
      assertIds(matches, ["near", "zero", "far"]);
      assertSimilarities(matches, [cosineOf(20), 0, cosineOf(160)]);
      const zeroMatches = await store.query(ACME, { ...QUERY_ALL, vector: zero });
      assert.equal(zeroMatches.length, 3);
      assertSimilarities(zeroMatches, [0, 0, 0]);
    }),
    testCase("returns at most topK records", async (store, put) => {
      await put([10, 20, 30, 40].map((angle) => record(`a${angle}`, { vector: vectorAt(angle) })));
      assertIds(await store.query(ACME, { ...QUERY_ALL, topK: 1 }), ["a10"]);
      assertIds(await store.query(ACME, { ...QUERY_ALL, topK: 3 }), ["a10", "a20", "a30"]);
      assert.equal((await store.query(ACME, { ...QUERY_ALL, topK: 10_000 })).length, 4);
    }),
    testCase("replaces the record with the same id", async (store, put) => {
      await put([record("a", { vector: vectorAt(10) }), record("b", { vector: vectorAt(50) })]);
      await put([record("a", { vector: vectorAt(80) })]);
      const matches = await store.query(ACME, QUERY_ALL);
      assertIds(matches, ["b", "a"]);
      assertSimilarities(matches, [cosineOf(50), cosineOf(80)]);
    }),
    testCase("copies the vector, whose memory the caller may reuse", async (store, put) => {
      const shared = new Float32Array(9);
      shared.set(vectorAt(30), 3);
      await put([record("a", { vector: shared.subarray(3, 6) })]);
      shared.fill(0);
      assertSimilarities(await store.query(ACME, QUERY_ALL), [cosineOf(30)]);
    }),
    testCase("accepts an empty list", async (store, put) => {
      await put([]);
      assertIds(await store.query(ACME, QUERY_ALL), []);
    }),
    testCase("returns nothing for a scope without content", async (store, put) => {
      await put([record("a")]);
      for (const scope of OTHERS) assertIds(await store.query(scope, QUERY_ALL), []);
      for (const scope of OTHERS) await store.delete(scope, "all");
      assertIds(await store.query(ACME, QUERY_ALL), ["a"]);
    }),
    testCase("isolates namespaces and tenants", async (store, put) => {
      for (const [index, scope] of [ACME, ...OTHERS].entries())
        await put([record(`only${index}`, { vector: vectorAt(index) })], scope);
      for (const [index, scope] of [ACME, ...OTHERS].entries())
        assertIds(await store.query(scope, QUERY_ALL), [`only${index}`]);
      await store.delete(OTHERS[0]!, "all");
      await store.delete(OTHERS[1]!, { documentId: documentIdOf("only0") });
      for (const [index, scope] of [ACME, ...OTHERS].entries())
        assertIds(await store.query(scope, QUERY_ALL), index === 1 ? [] : [`only${index}`]);
    }),
    ...FILTERS.map(([filter, expected]) =>
      testCase(`filters before it limits to topK: ${JSON.stringify(filter)}`, async (store, put) => {
        // Matching records are less similar than the others.
        const sorted = [...NOTES.entries()].sort(
          ([a], [b]) => Number(expected.includes(`n${a}`)) - Number(expected.includes(`n${b}`)),
        );
        await put(
          sorted.map(([index, metadata], rank) => record(`n${index}`, { metadata, vector: vectorAt(5 + 10 * rank) })),
        );
        const node = parseFilter(filter);
        assertIds(await store.query(ACME, { ...QUERY_ALL, filter: node }), expected);
        assertIds(await store.query(ACME, { ...QUERY_ALL, filter: node, topK: 1 }), expected.slice(0, 1));
      }),
    ),
    testCase("deletes one generation and keeps the others", async (store, put) => {
      const documentId = "doc_regenerated";
      const generations = [1, 2].flatMap((generation) =>
        [0, 1].map((n) => ({ ...record(""), id: `${documentId}.${generation}.${n}`, documentId, generation })),
      );
      await put([...generations, record("other", { vector: vectorAt(90) })]);
      await store.delete(ACME, { documentId, generation: 1 });
      assert.deepEqual(
        (await store.query(ACME, QUERY_ALL)).map(({ id }) => id),
        [`${documentId}.2.0`, `${documentId}.2.1`, `${documentIdOf("other")}.1.0`],
      );
      await store.delete(ACME, { documentId, generation: 2 });
      assertIds(await store.query(ACME, QUERY_ALL), ["other"]);
    }),
    testCase("deletes a document and a scope, including missing ones", async (store, put) => {
      await put([record("a"), record("b"), record("c")]);
      await store.delete(ACME, { documentId: documentIdOf("b") });
      await store.delete(ACME, { documentId: documentIdOf("b") });
      await store.delete(ACME, { documentId: "doc_never", generation: 7 });
      assertIds(await store.query(ACME, QUERY_ALL), ["a", "c"]);
      await store.delete(ACME, "all");
      await store.delete(ACME, "all");
      assertIds(await store.query(ACME, QUERY_ALL), []);
    }),
    testCase("stops on the caller's signal", async (store, put) => {
      await put([record("a")]);
      const call = { signal: AbortSignal.abort() };
      await assert.rejects(store.query(ACME, QUERY_ALL, call), { name: "AbortError" });
      await assert.rejects(store.upsert(ACME, [record("a")], call), { name: "AbortError" });
      await assert.rejects(store.delete(ACME, "all", call), { name: "AbortError" });
      assertIds(await store.query(ACME, QUERY_ALL), ["a"]);
    }),
  ];
}

const NOTES: readonly Metadata[] = [
  { lang: "en", year: 2024, draft: true, tags: ["tide", "fog"], "a.b": 1 },
  { lang: "de", year: 2025, draft: false, tags: [], "it's": "quoted" },
  { lang: "～", year: -0.5, tags: ["fog"], nested: { lang: "en" } },
  { year: "2025", lang: null, mixed: ["en", 1] },
];

/** Filters, each with the notes that match. `lang` and `year` have values of several types. */
const FILTERS: readonly (readonly [object, readonly string[]])[] = [
  [{ lang: "en" }, ["n0"]],
  [{ lang: { $ne: "en" } }, ["n1", "n2", "n3"]],
  [{ year: 2025 }, ["n1"]],
  [{ year: "2025" }, ["n3"]],
  [{ year: { $gt: 2024 } }, ["n1"]],
  [{ year: { $gte: 2024 } }, ["n0", "n1"]],
  [{ year: { $lt: 2024 } }, ["n2"]],
  [{ year: { $lte: -0.5 } }, ["n2"]],
  [{ lang: { $gt: "en", $lt: "😀" } }, ["n2"]],
  [{ lang: ["en", "～"] }, ["n0", "n2"]],
  [{ lang: { $in: [] } }, []],
  [{ lang: { $nin: ["en", "de"] } }, ["n2", "n3"]],
  [{ draft: false }, ["n1"]],
  [{ draft: { $ne: true } }, ["n1", "n2", "n3"]],
  [{ tags: "fog" }, ["n0", "n2"]],
  [{ tags: { $all: ["fog", "tide"] } }, ["n0"]],
  [{ tags: { $exists: true } }, ["n0", "n1", "n2"]],
  [{ mixed: { $exists: false } }, ["n0", "n1", "n2", "n3"]],
  [{ lang: { $not: { $gte: "a" } } }, ["n3"]],
  [{ "a.b": 1 }, ["n0"]],
  [{ "it's": "quoted" }, ["n1"]],
  [{ lang: "de", year: { $gt: 0 } }, ["n1"]],
  [{ $or: [{ lang: "en" }, { year: "2025" }] }, ["n0", "n3"]],
  [{ $and: [{ tags: "fog" }, { $not: { lang: "en" } }] }, ["n2"]],
  [{ $nor: [{ lang: "en" }, { draft: false }] }, ["n2", "n3"]],
];

function record(
  name: string,
  { vector = QUERY, metadata = {} }: Partial<Pick<VectorRecord, "vector" | "metadata">> = {},
): VectorRecord {
  const documentId = documentIdOf(name);
  return { id: `${documentId}.1.0`, documentId, generation: 1, vector, metadata: { ...metadata, documentId } };
}

function documentIdOf(name: string): string {
  return `doc_${name}`;
}

function vectorAt(degrees: number, length = 1): Float32Array {
  const radians = (degrees / 180) * Math.PI;
  return Float32Array.of(Math.cos(radians) * length, Math.sin(radians) * length, 0);
}

function cosineOf(degrees: number): number {
  return Math.cos((degrees / 180) * Math.PI);
}

function assertIds(matches: readonly VectorMatch[], names: readonly string[]): void {
  assert.deepEqual(
    matches.map(({ id }) => id),
    names.map((name) => `${documentIdOf(name)}.1.0`),
  );
}

function assertSimilarities(matches: readonly VectorMatch[], expected: readonly number[]): void {
  for (const [rank, { similarity }] of matches.entries()) {
    const difference = Math.abs(similarity - expected[rank]!);
    assert.ok(difference < TOLERANCE, `rank ${rank}: similarity ${similarity} instead of ${expected[rank]}`);
  }
}
