import fc from "fast-check";
import type { NamespaceHandle, SearchOptions } from "lorebase";
import { memoryVectorStore } from "lorebase/testing";
import { afterAll, describe, expect, it } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { propertyRuns } from "../support/property-runs.js";
import { providerOf } from "../support/providers.js";

const kb = openKnowledgeBase({
  vectorStores: [providerOf(memoryVectorStore())],
});
afterAll(() => kb.close());

const SEPARATOR = "|";
const WORDS = ["lamp", "harbour", "fog", "pier", "boat", "night", "rope"];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((some) => some.join(" "));
const content = fc.array(words, { minLength: 1, maxLength: 3 });
/** Few contents, each several times, with metadata of their own. */
const documents = fc
  .uniqueArray(content, { minLength: 1, maxLength: 5, selector: (chunks) => chunks.join(SEPARATOR) })
  .chain((contents) =>
    fc.array(fc.record({ chunks: fc.constantFrom(...contents), year: fc.integer({ min: 1, max: 2 }) }), {
      minLength: 1,
      maxLength: 16,
    }),
  );
const searches = fc.record({
  query: words,
  topK: fc.integer({ min: 1, max: 9 }),
  mode: fc.constantFrom("keyword", "semantic", "hybrid"),
  year: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
  perDocument: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
});

interface Given {
  readonly chunks: readonly string[];
  readonly year: number;
}

async function ingest(handle: NamespaceHandle, given: readonly Given[]): Promise<ReadonlyMap<string, Given>> {
  const items = given.map(({ chunks, year }) => {
    return { type: "TEXT" as const, text: chunks.join(SEPARATOR), config: { metadata: { year } } };
  });
  await handle.ingest({ type: "BATCH", items }, { delimiter: SEPARATOR }).done({ throwOnFailure: true });
  const made = new Map<string, Given>();
  let index = 0;
  for await (const { id } of handle.documents.iterate({ order: "asc" })) made.set(id, given[index++]!);
  return made;
}

type Search = typeof searches extends fc.Arbitrary<infer Value> ? Value : never;

/** How many different passages a search could return: of each content once those that it finds, up to `perDocument`. */
function countPassages(given: readonly Given[], { query, mode, year, perDocument = Number.POSITIVE_INFINITY }: Search) {
  const contents = new Map(
    given
      .filter((one) => year === undefined || one.year === year)
      .map(({ chunks }) => [chunks.join(SEPARATOR), chunks]),
  );
  const asked = query.split(" ");
  const isFound = (text: string) => mode !== "keyword" || asked.some((word) => text.split(" ").includes(word));
  const counts = [...contents.values()].map((chunks) => Math.min(perDocument, chunks.filter(isFound).length));
  return counts.reduce((sum, count) => sum + count, 0);
}

describe.each(["MANAGED_SQLITE_VEC", "MEMORY"])("with vectors in %s", (provider) => {
  it("returns no passage of the same content twice, and as many hits as possible", async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.array(searches, { minLength: 5, maxLength: 5 }), async (given, asked) => {
        const handle = await newNamespace(kb, { vectorStoreConfig: { provider } });
        const made = await ingest(handle, given);
        for (const search of asked) {
          const { query, topK, mode, year, perDocument } = search;
          const filter = year === undefined ? {} : { filter: { year } };
          const options = { topK, mode, perDocument, ...filter } as SearchOptions;
          const hits = await handle.search(query, options);
          expect(hits).toHaveLength(Math.min(topK, countPassages(given, search)));
          const owners = new Map<string, string>();
          const counts = new Map<string, number>();
          for (const { id, text, score } of hits) {
            const documentId = id.split("#")[0]!;
            const { chunks, year: own } = made.get(documentId)!;
            if (year !== undefined) expect(own).toBe(year);
            const content = chunks.join(SEPARATOR);
            counts.set(content, (counts.get(content) ?? 0) + 1);
            expect(counts.get(content)).toBeLessThanOrEqual(perDocument ?? topK);
            const key = `${content} ${text}`;
            expect(owners.get(key) ?? documentId).toBe(documentId);
            owners.set(key, documentId);
            expect(score).toBeGreaterThanOrEqual(0);
          }
          expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
        }
      }),
      { numRuns: propertyRuns(6) },
    );
  });
});

it("finds other passages behind hundreds of copies, and explains the omitted copies", async () => {
  const handle = await newNamespace(kb);
  const copies = Array.from({ length: 300 }, () => ({ chunks: ["lamp lamp harbour"], year: 1 }));
  const others = WORDS.slice(2).map((word) => ({ chunks: [`${word} lamp and more`], year: 1 }));
  const made = await ingest(handle, [...copies, ...others]);
  for (const mode of ["keyword", "semantic", "hybrid"] as const) {
    const hits = await handle.search("lamp harbour", { mode, topK: 4 });
    expect(new Set(hits.map(({ text }) => text)).size).toBe(4);
    const shown = hits[0]!.id;
    const [hidden] = [...made.keys()].filter((id) => id !== shown.split("#")[0]);
    const explained = await handle.explain("lamp harbour", { mode, topK: 4, documentId: hidden! });
    expect(explained).toMatchObject({
      outcome: "lost",
      stage: "duplicate",
      duplicateOf: shown,
      chunkId: `${hidden}#0`,
    });
  }
});

it("returns equal passages of different files", async () => {
  const handle = await newNamespace(kb);
  await ingest(handle, [
    { chunks: ["lamp harbour", "fog"], year: 1 },
    { chunks: ["lamp harbour", "boat"], year: 1 },
  ]);
  const hits = await handle.search("harbour", { mode: "keyword" });
  expect(hits.map(({ text }) => text)).toEqual(["lamp harbour", "lamp harbour"]);
});
