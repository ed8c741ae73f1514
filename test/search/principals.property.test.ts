import fc from "fast-check";
import type { NamespaceHandle, SearchOptions } from "lorebase";
import { memoryVectorStore } from "lorebase/testing";
import { afterAll, describe, expect, it } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { propertyRuns } from "../support/property-runs.js";
import { providerOf } from "../support/providers.js";

const kb = openKnowledgeBase({ vectorStores: [providerOf(memoryVectorStore())] });
afterAll(() => kb.close());

const SEPARATOR = "|";
const WORDS = ["lamp", "harbour", "fog", "pier", "boats", "Leuchttürme", "nights", "rope"];
const PRINCIPALS = ["user:7", "group:eng", "group:ops"];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((some) => some.join(" "));
const allowed = fc.option(fc.subarray(PRINCIPALS), { nil: null });
const content = fc.record({
  chunks: fc.array(words, { minLength: 1, maxLength: 3 }),
  year: fc.integer({ min: 1, max: 2 }),
  allow: allowed,
});
const documents = fc.array(content, { minLength: 1, maxLength: 12 });
/** Documents that are given other content, other readers alone, or are deleted. */
const changes = fc.array(
  fc.record({ document: fc.nat(11), to: fc.oneof(content, fc.record({ allow: allowed }), fc.constant(null)) }),
  { maxLength: 4 },
);
const searches = fc.record({
  query: fc.oneof(words, fc.constantFrom("lam*", '"harbour fog"', "harbor lamps", "nightz")),
  topK: fc.integer({ min: 1, max: 9 }),
  mode: fc.constantFrom("keyword", "semantic", "hybrid"),
  filter: fc.constantFrom(undefined, { year: 1 }, { $not: { year: 1 } }),
  keywordFilter: fc.option(fc.constantFrom(...WORDS), { nil: undefined }),
});

type Content = typeof content extends fc.Arbitrary<infer Value> ? Value : never;

/** One document's content, readers or removal, in the order of the calls. */
interface Step {
  readonly n: number;
  readonly to: Content | { readonly allow: readonly string[] | null } | null;
}

/** Takes the steps one after the other, each seen by a reader, and returns the ids of the documents that remain. */
async function take(
  handle: NamespaceHandle,
  steps: readonly Step[],
  reader: NamespaceHandle,
): Promise<ReadonlyMap<number, string>> {
  const ids = new Map<number, string>();
  for (const { n, to } of steps) {
    if (to === null) {
      await handle.documents.delete(ids.get(n)!);
      ids.delete(n);
    } else if (!("chunks" in to)) {
      await handle.documents.update(ids.get(n)!, to);
    } else {
      const { chunks, year, allow } = to;
      const text = chunks.join(SEPARATOR);
      const config = { metadata: { year, n, [`own${n}`]: true }, delimiter: SEPARATOR, ...(allow && { allow }) };
      const job = { externalId: String(n), onConflict: "replace" } as const;
      const { id } = await handle.ingest({ type: "TEXT", text }, { ...config, ...job }).done({ throwOnFailure: true });
      ids.set(n, (await handle.documents.list({ ingestJobId: id })).items[0]!.id);
    }
    await reader.search("lamp");
  }
  return ids;
}

/** What a caller sees, without ids, which differ between namespaces. */
async function view(handle: NamespaceHandle, ids: ReadonlyMap<number, string>, options: SearchOptions, query: string) {
  const hits = await handle.search(query, { ...options, explain: true, includeHighlights: true });
  const { filter } = options;
  const facets = await handle.facets(["year", "n"], { ...(filter && { filter }), limit: 1000 });
  const order = { orderBy: { key: "year" }, order: "asc", filter, includeTotal: true } as const;
  const { items, total } = await handle.passages.list({ ...order, perPage: 4 });
  const explained = [];
  for (const [n, documentId] of [...ids].toSorted(([a], [b]) => a - b)) {
    const { documentId: _, ...explanation } = await handle.explain(query, { ...options, documentId });
    explained.push([n, JSON.stringify(explanation).replace(/doc_\w+/g, "doc")]);
  }
  const page = await handle.documents.list({ perPage: 3, page: 2, order: "asc" });
  return {
    hits: hits.map(({ id, text, score, metadata, explanation, highlights }) => {
      return { at: id.split("#")[1], n: metadata!.n, text, score, explanation, highlights };
    }),
    facets,
    total,
    ordered: items.map(({ id, text, metadata }) => [id.split("#")[1], text, metadata.n]),
    explained,
    listed: page.items.map(({ config }) => config.metadata!.n),
    hasMore: page.hasMore,
  };
}

describe.each(["MANAGED_SQLITE_VEC", "MEMORY"])("with vectors in %s", (provider) => {
  it("principals see what a namespace with only their documents has", async () => {
    await fc.assert(
      fc.asyncProperty(
        documents,
        changes,
        fc.subarray(PRINCIPALS),
        fc.array(searches, { minLength: 4, maxLength: 4 }),
        async (given, changed, principals, asked) => {
          const handle = await newNamespace(kb, { vectorStoreConfig: { provider } });
          const steps: Step[] = given.map((to, n) => ({ n, to }));
          const allow = new Map(given.map((one, n) => [n, one.allow]));
          for (const { document, to } of changed) {
            const n = document % given.length;
            if (!allow.has(n)) continue;
            steps.push({ n, to });
            if (to === null) allow.delete(n);
            else allow.set(n, to.allow);
          }
          const bound = handle.visibleTo(principals);
          const ids = await take(handle, steps, bound);
          const isVisible = (n: number) => {
            const readers = allow.get(n);
            return readers !== undefined && (readers === null || readers.some((one) => principals.includes(one)));
          };
          const oracle = await newNamespace(kb, { vectorStoreConfig: { provider } });
          const oracleIds = await take(
            oracle,
            steps.filter(({ n }) => isVisible(n)).map(({ n, to }) => ({ n, to: to && { ...to, allow: null } })),
            oracle,
          );
          const seen = new Map([...ids].filter(([n]) => isVisible(n)));
          for (const { query, ...options } of asked) {
            const search = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
            expect(await view(bound, seen, search, query)).toEqual(await view(oracle, oracleIds, search, query));
          }
          for (const [n, documentId] of ids) {
            if (isVisible(n)) continue;
            await expect(bound.documents.get(documentId)).rejects.toMatchObject({ code: "not_found" });
            await expect(bound.explain("lamp", { documentId })).rejects.toMatchObject({ code: "not_found" });
          }
        },
      ),
      { numRuns: propertyRuns(4) },
    );
  });
});
