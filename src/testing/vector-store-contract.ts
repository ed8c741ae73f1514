import assert from "node:assert/strict";
import { parseFilter } from "../filter.js";
import type { VectorMatch, VectorRecord, VectorStore } from "../interfaces/vector-store.js";
import type { Metadata, Scope } from "../types.js";
import type { ContractCase } from "./contract.js";

export interface VectorStoreContractOptions {
  /** For a store that keeps vectors of chunks which a database already has: puts the chunks there, before they are upserted. */
  readonly seed?: (scope: Scope, records: readonly VectorRecord[]) => Promise<void>;
  /** How equal similarities are ordered; a hosted store may know no insertion. @default "insertion" */
  readonly ties?: "insertion" | "ids";
}

const ACME: Scope = { organizationId: "org_one", namespaceId: "ns_one", tenantId: null };
const OTHERS: readonly Scope[] = [
  { ...ACME, tenantId: "acme" },
  { ...ACME, tenantId: "other" },
  { ...ACME, namespaceId: "ns_two" },
];

/** A record's similarity to `QUERY` is the cosine of its angle. */
const QUERY = Float32Array.of(1, 0, 0);
const FOUND = Object.freeze({ vector: QUERY, topK: 100, filter: null });
/** Vectors are f32. */
const CLOSE = 1e-5;

/**
 * The promises of a vector store. `create` gives an empty store, a new one for each case; the case closes it.
 *
 * @example
 * for (const { name, run } of vectorStoreContract(create)) test(name, run);
 */
export function vectorStoreContract(
  create: () => Promise<VectorStore>,
  { seed, ties = "insertion" }: VectorStoreContractOptions = {},
): ContractCase[] {
  type Put = (records: readonly VectorRecord[], scope?: Scope) => Promise<void>;
  const promise = (name: string, check: (store: VectorStore, put: Put) => Promise<void>): ContractCase => ({
    name,
    async run() {
      const store = await create();
      const put: Put = async (records, scope = ACME) => {
        await seed?.(scope, records);
        await store.upsert(scope, records);
      };
      try {
        await check(store, put);
      } finally {
        await store.close?.();
      }
    },
  });

  return [
    promise("gives the nearest first, with their cosine similarities", async (store, put) => {
      const angles = [70, 0, 180, 30, 110];
      await put(angles.map((angle) => record(`a${angle}`, { vector: atAngle(angle) })));
      const matches = await store.query(ACME, FOUND);
      assertIds(matches, ["a0", "a30", "a70", "a110", "a180"]);
      assertSimilarities(matches, [0, 30, 70, 110, 180].map(cosineOf));
    }),
    promise("compares directions, whatever the lengths", async (store, put) => {
      const scales = [1, 3, 1e-6, 1e6, 1e-30, 1e30];
      await put(scales.map((scale, index) => record(`d${index}`, { vector: atAngle(60, scale) })));
      for (const vector of [QUERY, Float32Array.of(1e-30, 0, 0), Float32Array.of(1e30, 0, 0)]) {
        const matches = await store.query(ACME, { ...FOUND, vector });
        assert.equal(matches.length, scales.length);
        assertSimilarities(
          matches,
          scales.map(() => 0.5),
        );
      }
    }),
    promise(`gives equal similarities in the order of their ${ties}`, async (store, put) => {
      await put([record("b", { vector: atAngle(45) }), record("a", { vector: atAngle(45) })]);
      await put([record("near", { vector: atAngle(10) }), record("c", { vector: atAngle(45) })]);
      assertIds(await store.query(ACME, FOUND), ties === "ids" ? ["near", "a", "b", "c"] : ["near", "b", "a", "c"]);
      // Which of equal ones are cut off is the service's own choice.
      if (ties === "insertion") assertIds(await store.query(ACME, { ...FOUND, topK: 2 }), ["near", "b"]);
    }),
    promise("holds a vector of zeros unlike everything", async (store, put) => {
      const zero = new Float32Array(3);
      await put([
        record("zero", { vector: zero }),
        record("near", { vector: atAngle(20) }),
        record("far", { vector: atAngle(160) }),
      ]);
      const matches = await store.query(ACME, FOUND);
      assertIds(matches, ["near", "zero", "far"]);
      assertSimilarities(matches, [cosineOf(20), 0, cosineOf(160)]);
      const nowhere = await store.query(ACME, { ...FOUND, vector: zero });
      assert.equal(nowhere.length, 3);
      assertSimilarities(nowhere, [0, 0, 0]);
    }),
    promise("gives at most topK, and all where there are fewer", async (store, put) => {
      await put([10, 20, 30, 40].map((angle) => record(`a${angle}`, { vector: atAngle(angle) })));
      assertIds(await store.query(ACME, { ...FOUND, topK: 1 }), ["a10"]);
      assertIds(await store.query(ACME, { ...FOUND, topK: 3 }), ["a10", "a20", "a30"]);
      assert.equal((await store.query(ACME, { ...FOUND, topK: 10_000 })).length, 4);
    }),
    promise("replaces what it has under an id", async (store, put) => {
      await put([record("a", { vector: atAngle(10) }), record("b", { vector: atAngle(50) })]);
      await put([record("a", { vector: atAngle(80) })]);
      const matches = await store.query(ACME, FOUND);
      assertIds(matches, ["b", "a"]);
      assertSimilarities(matches, [cosineOf(50), cosineOf(80)]);
    }),
    promise("keeps the vector that it was given, also when the caller uses its memory again", async (store, put) => {
      const shared = new Float32Array(9);
      shared.set(atAngle(30), 3);
      await put([record("a", { vector: shared.subarray(3, 6) })]);
      shared.fill(0);
      assertSimilarities(await store.query(ACME, FOUND), [cosineOf(30)]);
    }),
    promise("takes no records", async (store, put) => {
      await put([]);
      assertIds(await store.query(ACME, FOUND), []);
    }),
    promise("knows nothing of a scope without content", async (store, put) => {
      await put([record("a")]);
      for (const scope of OTHERS) assertIds(await store.query(scope, FOUND), []);
      for (const scope of OTHERS) await store.delete(scope, "all");
      assertIds(await store.query(ACME, FOUND), ["a"]);
    }),
    promise("keeps namespaces and tenants apart", async (store, put) => {
      for (const [index, scope] of [ACME, ...OTHERS].entries())
        await put([record(`only${index}`, { vector: atAngle(index) })], scope);
      for (const [index, scope] of [ACME, ...OTHERS].entries())
        assertIds(await store.query(scope, FOUND), [`only${index}`]);
      await store.delete(OTHERS[0]!, "all");
      await store.delete(OTHERS[1]!, { documentId: documentOf("only0") });
      for (const [index, scope] of [ACME, ...OTHERS].entries())
        assertIds(await store.query(scope, FOUND), index === 1 ? [] : [`only${index}`]);
    }),
    ...FILTERS.map(([filter, expected]) =>
      promise(`filters before it counts to topK: ${JSON.stringify(filter)}`, async (store, put) => {
        // What the filter lets through stands behind what it does not.
        const sorted = [...NOTES.entries()].sort(
          ([a], [b]) => Number(expected.includes(`n${a}`)) - Number(expected.includes(`n${b}`)),
        );
        await put(
          sorted.map(([index, metadata], place) => record(`n${index}`, { metadata, vector: atAngle(5 + 10 * place) })),
        );
        const node = parseFilter(filter);
        assertIds(await store.query(ACME, { ...FOUND, filter: node }), expected);
        assertIds(await store.query(ACME, { ...FOUND, filter: node, topK: 1 }), expected.slice(0, 1));
      }),
    ),
    promise("deletes a generation and leaves the others", async (store, put) => {
      const documentId = "doc_regenerated";
      const generations = [1, 2].flatMap((generation) =>
        [0, 1].map((n) => ({ ...record(""), id: `${documentId}.${generation}.${n}`, documentId, generation })),
      );
      await put([...generations, record("other", { vector: atAngle(90) })]);
      await store.delete(ACME, { documentId, generation: 1 });
      assert.deepEqual(
        (await store.query(ACME, FOUND)).map(({ id }) => id),
        [`${documentId}.2.0`, `${documentId}.2.1`, `${documentOf("other")}.1.0`],
      );
      await store.delete(ACME, { documentId, generation: 2 });
      assertIds(await store.query(ACME, FOUND), ["other"]);
    }),
    promise("deletes a document, a scope, and what is not there", async (store, put) => {
      await put([record("a"), record("b"), record("c")]);
      await store.delete(ACME, { documentId: documentOf("b") });
      await store.delete(ACME, { documentId: documentOf("b") });
      await store.delete(ACME, { documentId: "doc_never", generation: 7 });
      assertIds(await store.query(ACME, FOUND), ["a", "c"]);
      await store.delete(ACME, "all");
      await store.delete(ACME, "all");
      assertIds(await store.query(ACME, FOUND), []);
    }),
    promise("ends with the caller's signal", async (store, put) => {
      await put([record("a")]);
      const call = { signal: AbortSignal.abort() };
      await assert.rejects(store.query(ACME, FOUND, call), { name: "AbortError" });
      await assert.rejects(store.upsert(ACME, [record("a")], call), { name: "AbortError" });
      await assert.rejects(store.delete(ACME, "all", call), { name: "AbortError" });
      assertIds(await store.query(ACME, FOUND), ["a"]);
    }),
  ];
}

const NOTES: readonly Metadata[] = [
  { lang: "en", year: 2024, draft: true, tags: ["tide", "fog"], "a.b": 1 },
  { lang: "de", year: 2025, draft: false, tags: [], "it's": "quoted" },
  { lang: "～", year: -0.5, tags: ["fog"], nested: { lang: "en" } },
  { year: "2025", lang: null, mixed: ["en", 1] },
];

/** Filters and the notes that meet them: `lang` and `year` are of several types, `lang` is missing in one. */
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
  const documentId = documentOf(name);
  return { id: `${documentId}.1.0`, documentId, generation: 1, vector, metadata: { ...metadata, documentId } };
}

function documentOf(name: string): string {
  return `doc_${name}`;
}

function atAngle(degrees: number, length = 1): Float32Array {
  const radians = (degrees / 180) * Math.PI;
  return Float32Array.of(Math.cos(radians) * length, Math.sin(radians) * length, 0);
}

function cosineOf(degrees: number): number {
  return Math.cos((degrees / 180) * Math.PI);
}

function assertIds(matches: readonly VectorMatch[], names: readonly string[]): void {
  assert.deepEqual(
    matches.map(({ id }) => id),
    names.map((name) => `${documentOf(name)}.1.0`),
  );
}

function assertSimilarities(matches: readonly VectorMatch[], expected: readonly number[]): void {
  for (const [place, { similarity }] of matches.entries()) {
    const difference = Math.abs(similarity - expected[place]!);
    assert.ok(difference < CLOSE, `place ${place}: similarity ${similarity} instead of ${expected[place]}`);
  }
}
