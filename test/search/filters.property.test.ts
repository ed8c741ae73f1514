import fc from "fast-check";
import { type Filter, matchesFilter, type NamespaceHandle, parseFilter, type SearchHit } from "lorebase";
import { memoryVectorStore } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filterableValue } from "#dist/filter.js";
import type { FilterScalar } from "../../src/filter.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { makePdf } from "../support/make-files.js";
import { oddFilters, oddMetadata } from "../support/odd-metadata.js";
import { propertyRuns } from "../support/property-runs.js";
import { providerOf } from "../support/providers.js";

const DOCUMENTS = 36;
const EVERY = 100;
/** Of each store and mode; npm run campaign:filters has more. */
const CASES = propertyRuns(15);
const MODES = ["semantic", "keyword", "hybrid"] as const;

const kb = openKnowledgeBase({ vectorStores: [providerOf(memoryVectorStore())] });
afterAll(() => kb.close());

/** Every passage has the word `harbour`; the rest differs, so that scores do. */
async function fill(handle: NamespaceHandle) {
  const seed = Date.now();
  const metadata = fc.sample(oddMetadata, { numRuns: DOCUMENTS + 1, seed });
  // The first passages of some documents have no headings.
  const preamble = `A harbour ${"without a name ".repeat(12)}\n\n`;
  const items = metadata.slice(1).map((own, index) => ({
    type: "TEXT" as const,
    text:
      index % 3 === 0
        ? `${index % 2 === 0 ? "" : preamble}# Port ${index}\n\nThe harbour ${"of stone ".repeat(index % 5)}\n\n## Pier\n\nA harbour pier number ${index}.`
        : `harbour ${"word ".repeat(index % 7)} unlike${index}`,
    ...(index % 3 === 0 ? { fileName: `port-${index}.md` } : {}),
    config: { metadata: own, ...(index % 3 === 0 ? { chunkSize: 32, maxChunkSize: 64 } : {}) },
  }));
  const runs = [await handle.ingest({ type: "BATCH", items })];
  const pages = ["The harbour by day", "The harbour at night"].map((text) => [{ text, x: 50, y: 80 }]);
  const file = { name: "pages.pdf", body: await makePdf(pages) };
  runs.push(await handle.ingest({ file }, { metadata: metadata[0]!, chunkSize: 32, maxChunkSize: 40 }));
  for (const run of runs) expect((await run.done()).error).toBe(null);
  return seed;
}

describe.each([
  { provider: "MANAGED_SQLITE_VEC", tenant: null },
  { provider: "MANAGED_SQLITE_VEC", tenant: "acme" },
  { provider: "MEMORY", tenant: "acme" },
])("$provider, tenant $tenant", ({ provider, tenant }) => {
  let handle: NamespaceHandle;
  let seed: number;
  beforeAll(async () => {
    const namespace = await newNamespace(kb, { vectorStoreConfig: { provider } });
    handle = tenant === null ? namespace : namespace.tenant(tenant);
    seed = await fill(handle);
  });

  it.each(MODES)("filters like the oracle, before applying topK: %s", async (mode) => {
    const everything = await handle.search("harbour", { mode, topK: EVERY });
    expect(everything.length).toBeGreaterThan(DOCUMENTS);
    expect(everything.length).toBeLessThan(EVERY);
    expect(everything.some(({ metadata }) => metadata?.page_number === 2)).toBe(true);
    const { documentId, namespaceId } = everything[0]!.metadata!;
    const ids = [String(documentId), String(namespaceId), "acme", "port-0.md", "Pier"];
    await fc.assert(
      fc.asyncProperty(oddFilters(ids), fc.integer({ min: 1, max: 5 }), async (given, topK) => {
        const filter = given as Filter;
        const node = parseFilter(filter);
        const expected = everything.filter(({ metadata }) => matchesFilter(node, metadata!));
        const found = await handle.search("harbour", { mode, topK: EVERY, filter });
        expect(idsOf(found).toSorted(), `metadata of seed ${seed}`).toEqual(idsOf(expected).toSorted());
        const best = await handle.search("harbour", { mode, topK, filter });
        expect(best.length).toBe(Math.min(topK, expected.length));
        // What a hybrid search scores by is relative to its candidates.
        const reference = mode === "hybrid" ? found : expected;
        for (const [place, hit] of best.entries()) expect(hit.score).toBeCloseTo(reference[place]!.score, 9);
        for (const hit of best) expect(idsOf(expected)).toContain(hit.id);
      }),
      { numRuns: CASES },
    );
  });

  it("counts facets like the oracle", async () => {
    const everything = await handle.search("harbour", { mode: "semantic", topK: EVERY });
    const keys = [...new Set(everything.flatMap(({ metadata }) => Object.keys(metadata!)))].filter(isCounted);
    const { documentId, namespaceId } = everything[0]!.metadata!;
    const ids = [String(documentId), String(namespaceId), "acme", "port-0.md", "Pier"];
    await fc.assert(
      fc.asyncProperty(oddFilters(ids), fc.constantFrom(...keys), async (given, key) => {
        const filter = given as Filter;
        const node = parseFilter(filter);
        const expected = countValues(
          everything.filter(({ metadata }) => matchesFilter(node, metadata!)),
          key,
        );
        const [facet] = await handle.facets([key], { filter, limit: 1000 });
        expect(new Map(facet!.values.map(({ value, ...counts }) => [value, counts]))).toEqual(expected);
        expect(facet).toMatchObject({ key, distinctValues: expected.size });
        const documents = facet!.values.map((value) => value.documents);
        expect(documents).toEqual(documents.toSorted((a, b) => b - a));
        const [first] = await handle.facets([key], { filter, limit: 2 });
        expect(first).toEqual({ ...facet, values: facet!.values.slice(0, 2) });
      }),
      { numRuns: CASES },
    );
  });

  it("lists passages like the oracle, page by page", async () => {
    const everything = await handle.search("harbour", { mode: "semantic", topK: EVERY });
    const keys = [...new Set(everything.flatMap(({ metadata }) => Object.keys(metadata!)))].filter(isCounted);
    const created: string[] = [];
    for await (const { id } of handle.documents.iterate({ order: "asc", tenantId: tenant })) created.push(id);
    const { documentId, namespaceId } = everything[0]!.metadata!;
    const ids = [String(documentId), String(namespaceId), "acme", "port-0.md", "Pier"];
    const options = fc.record({
      key: fc.oneof(fc.constant("headings"), fc.constantFrom(null, ...keys, "missing")),
      order: fc.constantFrom("asc", "desc"),
      onePerDocument: fc.boolean(),
      perPage: fc.integer({ min: 3, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.option(oddFilters(ids), { nil: undefined }), options, async (given, { key, ...asked }) => {
        const filter = given as Filter | undefined;
        const node = parseFilter(filter ?? {});
        const matching = everything.filter(({ metadata }) => matchesFilter(node, metadata!));
        const expected = listInOrder(matching, { key, ...asked }, created);
        const orderBy = key === null ? undefined : { key };
        const listed: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await handle.passages.list({ filter, orderBy, ...asked, cursor, includeTotal: true });
          expect(page.total).toBe(expected.length);
          expect(page.items.length).toBe(Math.min(asked.perPage, expected.length - listed.length));
          listed.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect(listed, `metadata of seed ${seed}`).toEqual(expected);
      }),
      { numRuns: CASES },
    );
  });

  it("accepts the maximum number of conditions", async () => {
    const values = Array.from({ length: 9_000 }, (_, index) => `value ${index}`);
    for (const filter of [
      { $nor: values.slice(0, 490).map((a) => ({ a })) },
      { $or: [...values.slice(0, 490).map((a) => ({ a })), { missing: { $exists: false } }] },
      { a: { $nin: values } },
    ]) {
      for (const mode of MODES) expect(await handle.search("harbour", { mode, topK: 3, filter })).toHaveLength(3);
      const listing = { filter, orderBy: { key: "a" }, onePerDocument: true, perPage: 3 } as const;
      expect((await handle.passages.list(listing)).items).toHaveLength(3);
    }
  });
});

function idsOf(hits: readonly SearchHit[]): string[] {
  return hits.map(({ id }) => id);
}

function isCounted(key: string): boolean {
  return !["documentId", "namespaceId", "tenantId", "sequence_number", "page_number"].includes(key);
}

/** Counts documents and passages by the values of a key. */
function countValues(hits: readonly SearchHit[], key: string) {
  const documents = new Map<FilterScalar, Set<unknown>>();
  const passages = new Map<FilterScalar, number>();
  for (const { metadata } of hits) {
    const value = filterableValue(metadata!, key);
    for (const one of new Set(value === undefined ? [] : [value].flat())) {
      documents.set(one, (documents.get(one) ?? new Set()).add(metadata!.documentId));
      passages.set(one, (passages.get(one) ?? 0) + 1);
    }
  }
  return new Map(
    [...documents].map(([value, { size }]) => [value, { documents: size, passages: passages.get(value) }]),
  );
}

/** Returns the ids of passages in the order of a key's values, of their documents and of the text. */
function listInOrder(
  hits: readonly SearchHit[],
  { key, order, onePerDocument }: { key: string | null; order: string; onePerDocument: boolean },
  created: readonly string[],
): string[] {
  const documentOf = ({ metadata }: SearchHit) => created.indexOf(String(metadata!.documentId));
  const placeOf = ({ metadata }: SearchHit) => Number(metadata!.sequence_number);
  const inText = hits.toSorted((a, b) => placeOf(a) - placeOf(b));
  const isFirst = (hit: SearchHit) => inText.find((other) => documentOf(other) === documentOf(hit)) === hit;
  const sign = order === "asc" ? 1 : -1;
  const compare = (a: SearchHit, b: SearchHit) => {
    const [x, y] = [a, b].map(({ metadata }) => (key === null ? undefined : filterableValue(metadata!, key)));
    if ((x === undefined) !== (y === undefined)) return x === undefined ? 1 : -1;
    return sign * (compareValues(x, y) || documentOf(a) - documentOf(b)) || placeOf(a) - placeOf(b);
  };
  return idsOf(inText.filter((hit) => !onePerDocument || isFirst(hit)).toSorted(compare));
}

function compareValues(x: unknown, y: unknown): number {
  const kindOf = (value: unknown) => ["boolean", "number", "string", "object"].indexOf(typeof value);
  if (x === undefined || kindOf(x) !== kindOf(y)) return kindOf(x) - kindOf(y);
  if (typeof x === "string") return Buffer.compare(Buffer.from(x), Buffer.from(y as string));
  return typeof x === "object" ? 0 : Number(x) - Number(y);
}
