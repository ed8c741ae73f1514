import assert from "node:assert/strict";
import { parseFilter } from "#dist/filter.js";
import type {
  KeywordSearch,
  ListedPassages,
  ListPosition,
  SearchIndex,
  VectorSearch,
} from "../../src/storage/search-index.js";
import type { Storage } from "../../src/storage/storage.js";
import type { ContractCase } from "../../src/testing/contract.js";
import type { Scope } from "../../src/types.js";
import { addDocument, NAMESPACE, ORGANIZATION, SCOPE, writeDocument } from "./stored-documents.js";

/**
 * The promises of a search index. `create` gives an empty storage, a new one for each case; the case closes it.
 *
 * @example
 * for (const { name, run } of searchIndexContract(create)) test(name, run);
 */
export function searchIndexContract(create: () => Promise<Storage>): ContractCase[] {
  const promise = (name: string, check: (storage: Storage) => Promise<void>): ContractCase => ({
    name,
    async run() {
      const storage = await create();
      try {
        await storage.organizations.create(ORGANIZATION);
        await storage.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
        await check(storage);
      } finally {
        await storage.close();
      }
    },
  });

  return [
    promise("finds what is published, and what is removed no longer", async (storage) => {
      const { index } = storage;
      const draft = await writeDocument(storage, "tide", { chunks: [{ text: "The tide is high." }] });
      assert.deepEqual(await findWords(index, ["tide"]), []);
      assert.deepEqual(await findNearest(index, [1, 0, 0]), []);
      const before = (await index.livePassages({ scope: SCOPE, ids: [draft.chunkId(0)] })).epoch;
      assert.equal(await draft.publish(), true);
      assert.deepEqual(await findWords(index, ["tide"]), [draft.chunkId(0)]);
      assert.deepEqual(await findNearest(index, [1, 0, 0]), [draft.chunkId(0)]);
      const { epoch, passages, missing } = await index.livePassages({
        scope: SCOPE,
        ids: [draft.chunkId(0), "doc_x.1.0"],
      });
      assert.ok(epoch > before);
      assert.deepEqual([passages.map(({ text }) => text), missing], [["The tide is high."], 1]);
      await storage.documents.delete({ documentId: draft.id, organizationId: "org", now: 3 });
      assert.deepEqual(await findWords(index, ["tide"]), []);
      assert.deepEqual(await findNearest(index, [1, 0, 0]), []);
      const after = await index.livePassages({ scope: SCOPE, ids: [draft.chunkId(0)] });
      assert.ok(after.epoch > epoch);
      assert.deepEqual([after.passages, after.missing], [[], 1]);
    }),

    promise("ranks words with the statistics of the scope, those with every term first", async (storage) => {
      const { index } = storage;
      const texts = [
        "sand sand sand sand",
        "sand and foam",
        "kelp",
        "gulls",
        "rocks",
        "pools",
        "sand of another tenant",
      ];
      const documents = [];
      for (const [at, text] of texts.entries()) {
        const tenant = at === 6 ? { tenantId: "acme" } : {};
        documents.push(await addDocument(storage, `d${at}`, { chunks: [{ text }], ...tenant }));
      }
      const { matches, ceiling, epoch } = await index.keywordSearch(words(["sand", "foam"]));
      assert.deepEqual(
        matches.map(({ id, hasAllTerms }) => [id, hasAllTerms]),
        [
          [documents[1]!.chunkId(0), true],
          [documents[0]!.chunkId(0), false],
        ],
      );
      const [sand, foam] = [Math.log(4.5 / 2.5), Math.log(5.5 / 1.5)];
      const mean = (4 + 3 + 1 + 1 + 1 + 1) / 6;
      const weight = (count: number, length: number) => (count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / mean));
      const atBeginning = (before: number) => (2.2 * 0.6 * 30) / (30 + before);
      const near = (other: number, distance: number) => (2.2 * 0.2 * (other / distance)) / (1 + other / distance);
      const beside = sand * (atBeginning(0) + near(foam, 2)) + foam * (atBeginning(2) + near(sand, 2));
      assertClose(matches[0]!.bm25, ((sand + foam) * weight(1, 3) + beside) / 1.8);
      assertClose(matches[1]!.bm25, (sand * (weight(4, 4) + atBeginning(0))) / 1.8);
      assertClose(ceiling, 2.2 * (sand + foam));
      assert.equal(epoch, (await index.livePassages({ scope: SCOPE, ids: [] })).epoch);
      const acme = { ...SCOPE, tenantId: "acme" };
      assert.deepEqual(await findWords(index, ["sand"], { scope: acme }), [documents[6]!.chunkId(0)]);
      assert.deepEqual(await findWords(index, ["sand"], { scope: { ...SCOPE, namespaceId: "ns_other" } }), []);
      assert.deepEqual((await index.keywordSearch(words([]))).matches, []);
    }),

    promise("finds stems, phrases and beginnings of words", async (storage) => {
      const { index } = storage;
      const { chunkId } = await addDocument(storage, "notes", {
        chunks: [{ text: "Running along the shore" }, { text: "The shore line runs on" }, { text: "Café keyword" }],
      });
      assert.deepEqual((await findWords(index, ["run"])).toSorted(), [chunkId(0), chunkId(1)]);
      assert.deepEqual(await findWords(index, ["shore line"]), [chunkId(1)]);
      assert.deepEqual(await findWords(index, ["line shore"]), []);
      assert.deepEqual(await findWords(index, ["CAFE"]), [chunkId(2)]);
      const beginning = [{ text: "key", prefix: true }];
      const { matches } = await index.keywordSearch({ ...words([]), terms: beginning });
      assert.deepEqual(
        matches.map(({ id }) => id),
        [chunkId(2)],
      );
      assert.deepEqual(await findWords(index, ["key"]), []);
    }),

    promise(
      "takes the mark of unstemmed words for a separator in texts, whatever else was indexed",
      async (storage) => {
        const { index } = storage;
        const { chunkId } = await addDocument(storage, "marked", { chunks: [{ text: "Tides\uE0F0 rose\uE0F0fell" }] });
        assert.deepEqual(await findWords(index, ["tide"]), [chunkId(0)]);
        const unstemmed = await addDocument(storage, "unstemmed", { chunks: [{ text: "Tides" }], stemming: 0 });
        assert.deepEqual(await findWords(index, ["rose fell"]), [chunkId(0)]);
        assert.deepEqual(await findWords(index, ["tide"]), [chunkId(0)]);
        assert.deepEqual((await findWords(index, ["tides"])).toSorted(), [chunkId(0), unstemmed.chunkId(0)].toSorted());
        const { passages } = await index.livePassages({ scope: SCOPE, ids: [chunkId(0)] });
        const terms = [{ text: "fell", prefix: false }];
        const [ranges] = await index.highlights({ chunkSeqs: passages.map(({ chunkSeq }) => chunkSeq), terms });
        assert.deepEqual(ranges, [{ start: 12, end: 16 }]);
      },
    ),

    promise(
      "gives the nearest first, with their cosines; equally near ones in the order of insertion",
      async (storage) => {
        const { index } = storage;
        const vectors = [
          [0, 1, 0],
          [2, 2, 0],
          [0.5, 0.5, 0],
          [-1, 0, 0],
          [0, 0, 0],
        ];
        const { chunkId } = await addDocument(storage, "compass", {
          chunks: vectors.map((vector, at) => ({ text: `vector ${at}`, vector })),
        });
        const { matches } = await index.vectorSearch(nearest([3, 0, 0]));
        assert.deepEqual(
          matches.map(({ id }) => id),
          [1, 2, 0, 4, 3].map(chunkId),
        );
        const expected = [Math.SQRT1_2, Math.SQRT1_2, 0, 0, -1];
        for (const [at, { similarity }] of matches.entries()) assertClose(similarity, expected[at]!, 1e-5);
        assert.deepEqual(await findNearest(index, [3, 0, 0], { limit: 1 }), [chunkId(1)]);
        await index.writeVectors([
          { documentId: chunkId(3).split(".")[0]!, generation: 1, ordinal: 3, vector: Float32Array.of(1, 0, 0) },
          { documentId: "doc_gone", generation: 1, ordinal: 0, vector: Float32Array.of(1, 0, 0) },
        ]);
        assert.deepEqual(await findNearest(index, [3, 0, 0], { limit: 1 }), [chunkId(3)]);
      },
    ),

    promise("applies filters and required words before the limit, by words and by vectors", async (storage) => {
      const { index } = storage;
      const ids = [];
      for (const year of [2023, 2024, 2025]) {
        const { chunkId } = await addDocument(storage, `y${year}`, {
          metadata: { year, tags: ["tide", `t${year}`] },
          chunks: [
            { text: `Sand ${year}`, page: 1, vector: [1, 0, 0] },
            { text: "Sand and foam", page: 2, headings: ["Foam"], vector: [0.9, 0.1, 0] },
          ],
        });
        ids.push(chunkId);
      }
      const [first, second, third] = ids as [(at: number) => string, (at: number) => string, (at: number) => string];
      const cases: [filter: unknown, required: string[] | null, expected: string[]][] = [
        [{ year: { $gt: 2023 } }, null, [second(0), second(1), third(0), third(1)]],
        [{ year: 2024, page_number: 2 }, null, [second(1)]],
        [{ $or: [{ tags: "t2023" }, { sequence_number: 1 }] }, null, [first(0), first(1), second(1), third(1)]],
        [{ $not: { headings: "Foam" } }, null, [first(0), second(0), third(0)]],
        [{ documentId: first(0).split(".")[0]! }, ["foam"], [first(1)]],
        [null, ["2025"], [third(0)]],
        [{ tenantId: { $exists: true } }, null, []],
      ];
      for (const [given, terms, expected] of cases) {
        const filter = given === null ? null : parseFilter(given);
        const required = terms?.map((text) => ({ text, prefix: false })) ?? null;
        const among = { filter, required, limit: Math.max(1, expected.length) };
        assert.deepEqual((await findWords(index, ["sand"], among)).toSorted(), expected.toSorted(), "words");
        assert.deepEqual((await findNearest(index, [1, 0, 0], among)).toSorted(), expected.toSorted(), "vectors");
      }
      const live = await index.liveChunks({
        scope: SCOPE,
        ids: [third(1), "doc_gone.1.0", first(0)],
        required: [{ text: "foam", prefix: false }],
      });
      assert.deepEqual(live, { ids: [third(1)], missing: 1 });
      assert.deepEqual(await index.filterKeys({ scope: SCOPE, keys: ["year", "yeer"] }), {
        missing: ["yeer"],
        present: ["headings", "tags", "year"],
      });
      const standing = await index.documentEligibility({
        scope: SCOPE,
        documentId: second(0).split(".")[0]!,
        filter: parseFilter({ page_number: 1 }),
        required: [{ text: "foam", prefix: false }],
      });
      assert.deepEqual(
        [standing.status, standing.chunks.map(({ meetsFilter, hasRequired }) => [meetsFilter, hasRequired])],
        [
          "COMPLETED",
          [
            [true, false],
            [false, true],
          ],
        ],
      );
    }),

    promise("counts published chunks and their documents by the values of a metadata key", async (storage) => {
      const { index } = storage;
      const chunks = [{ text: "Sand" }, { text: "Foam", page: 2 }];
      const values = [["tide", "ebb"], "tide", 10, -2.5, 0, 9, 9, false, true, "é", "z".repeat(3000), []];
      for (const [at, tide] of values.entries()) await addDocument(storage, `d${at}`, { metadata: { tide }, chunks });
      await writeDocument(storage, "hidden", { metadata: { tide: 10 }, chunks });
      await addDocument(storage, "other", { metadata: { moon: "tide" }, chunks });
      const query = { scope: SCOPE, key: "tide", filter: null, limit: 100 };
      const { values: counted, distinctValues } = await index.facet(query);
      const ordered = [9, "tide", false, true, -2.5, 0, 10, "ebb", "z".repeat(3000), "é"];
      assert.deepEqual(
        counted.map(({ value }) => value),
        ordered,
      );
      assert.equal(distinctValues, ordered.length);
      assert.deepEqual(counted[1], { value: "tide", documents: 2, passages: 4 });
      assert.deepEqual(counted[6], { value: 10, documents: 1, passages: 2 });
      const some = await index.facet({ ...query, filter: parseFilter({ page_number: 2, tide: "tide" }), limit: 1 });
      const tide = { value: "tide", documents: 2, passages: 2 };
      assert.deepEqual(some, { values: [tide], distinctValues: 2 });
      assert.deepEqual(await index.facet({ ...query, key: "time" }), { values: [], distinctValues: 0 });
      const elsewhere = { ...SCOPE, tenantId: "elsewhere" };
      assert.deepEqual(await index.facet({ ...query, scope: elsewhere }), { values: [], distinctValues: 0 });
    }),

    promise("lists published chunks by the values of a metadata key, long ones and lists included", async (storage) => {
      const { index } = storage;
      const chunks = [{ text: "Sand" }, { text: "Foam", page: 2 }];
      const long = (end: string) => `${"z".repeat(3000)}${end}`;
      const values = [
        long("b"),
        "tide",
        -2.5,
        false,
        ["x"],
        long("a"),
        10,
        long("b"),
        [],
        true,
        long(""),
        "z".repeat(1000),
      ];
      const ids: string[] = [];
      for (const [at, tide] of values.entries())
        ids.push((await addDocument(storage, `d${at}`, { metadata: { tide }, chunks })).id);
      await writeDocument(storage, "hidden", { metadata: { tide: 10 }, chunks });
      const other = await addDocument(storage, "other", { metadata: { moon: "tide" }, chunks });
      const places = [3, 9, 2, 6, 1, 11, 10, 5, 0, 7, 4, 8].map((at) => ids[at]!);
      const query = { scope: SCOPE, key: "tide", filter: null, onePerDocument: false, withTotal: true } as const;
      for (const limit of [1, 5, 100])
        for (const order of ["asc", "desc"] as const) {
          const listed: string[] = [];
          let after: ListPosition | null = null;
          do {
            const page: ListedPassages = await index.listPassages({ ...query, order, after, limit });
            assert.equal(page.total, 26);
            listed.push(...page.passages.map(({ documentId, ordinal }) => `${documentId} ${ordinal}`));
            after = page.next;
          } while (after !== null);
          const documents = [...(order === "asc" ? places : places.toReversed()), other.id];
          assert.deepEqual(
            listed,
            documents.flatMap((id) => [`${id} 0`, `${id} 1`]),
          );
        }
    }),

    promise("reads passages with their search, where they are and what stands around them", async (storage) => {
      const { index } = storage;
      const { chunkId, id, seq, generation } = await addDocument(storage, "chapter", {
        metadata: { area: "cove" },
        chunks: ["One tide", "Two tides", "Three"].map((text, ordinal) => ({
          text,
          headings: [ordinal === 2 ? "B" : "A"],
          page: ordinal + 1,
          start: ordinal * 10,
          end: ordinal * 10 + text.length,
        })),
      });
      const found = await index.keywordSearch({ ...words(["tide"]), withPassages: true });
      const [passage] = found.passages!;
      const { chunkSeq, ...shown } = passage!;
      assert.deepEqual(shown, {
        ...{ id: chunkId(0), documentId: id, generation, ordinal: 0, text: "One tide", headings: ["A"], page: 1 },
        ...{ metadata: '{"area":"cove"}', start: 0, end: 8, boxes: null, contentHash: "x", isDamaged: false },
      });
      const byVector = await index.vectorSearch({ ...nearest([1, 0, 0]), withPassages: true });
      if (byVector.passages) assert.equal(byVector.passages.length, 3);
      const live = await index.livePassages({ scope: SCOPE, ids: [2, 1].map(chunkId) });
      assert.deepEqual(
        live.passages.map(({ ordinal }) => ordinal),
        [2, 1],
      );
      assert.deepEqual(await index.neighbours({ chunkSeqs: [chunkSeq, -1] }), [
        { previous: null, next: 1, siblings: [1] },
        { previous: null, next: null, siblings: [] },
      ]);
      const terms = ["tide", "three"].map((text) => ({ text, prefix: false }));
      const chunkSeqs = [chunkSeq, live.passages[1]!.chunkSeq, -1];
      assert.deepEqual(await index.highlights({ chunkSeqs, terms }), [
        [{ start: 4, end: 8 }],
        [{ start: 4, end: 9 }],
        [],
      ]);
      assert.deepEqual(await index.chunksByTerm({ scope: SCOPE, terms, chunkSeqs }), [
        new Set(chunkSeqs.slice(0, 2)),
        new Set(),
      ]);
      const rows = await index.readChunks({ documentSeq: seq, generation, from: 1, limit: 1 });
      assert.deepEqual(
        rows.map(({ text }) => text),
        ["Two tides"],
      );
      assert.deepEqual(await index.chunkGenerations({ documentSeq: seq }), [{ generation, chunks: 3 }]);
      assert.deepEqual(
        (await index.chunkOrdinals({ documentSeq: seq })).toSorted((a, b) => a.ordinal - b.ordinal),
        [0, 1, 2].map((ordinal) => ({ generation, ordinal })),
      );
    }),

    promise("caches vectors by their keys, as long as a chunk of the namespace has the key", async (storage) => {
      const { index } = storage;
      const key = Uint8Array.of(1, 2);
      const { lease, seq, generation } = await writeDocument(storage, "cached", {
        chunks: [{ text: "one", embeddingKey: key }],
      });
      const cached = (namespaceId: string) => index.cachedVectors({ namespaceId, keys: [key, Uint8Array.of(9)] });
      const [vector, unknown] = await cached("ns");
      assert.deepEqual([[...vector!], unknown], [[1, 2, 3, 4], null]);
      assert.deepEqual(await cached("ns_other"), [null, null]);
      await storage.documents.purgeChunks({ lease, documentSeq: seq, generation });
      assert.deepEqual(await cached("ns"), [null, null]);
      assert.deepEqual(await index.chunkGenerations({ documentSeq: seq }), []);
    }),

    promise("removes vectors of a generation, a document or a scope, and no others", async (storage) => {
      const { index } = storage;
      const one = await addDocument(storage, "one", { chunks: [{ text: "one" }] });
      const two = await addDocument(storage, "two", { chunks: [{ text: "two" }] });
      const acme: Scope = { ...SCOPE, tenantId: "acme" };
      const other = await addDocument(storage, "three", { chunks: [{ text: "three" }], tenantId: "acme" });
      await index.removeVectors(SCOPE, { documentId: one.id, generation: one.generation + 1 });
      assert.deepEqual(await findNearest(index, [1, 0, 0]), [one.chunkId(0), two.chunkId(0)]);
      await index.removeVectors(acme, { documentId: one.id });
      await index.removeVectors(SCOPE, { documentId: two.id, generation: two.generation });
      assert.deepEqual(await findNearest(index, [1, 0, 0]), [one.chunkId(0)]);
      await index.removeVectors(SCOPE, "all");
      assert.deepEqual(await findNearest(index, [1, 0, 0]), []);
      assert.deepEqual(await findNearest(index, [1, 0, 0], { scope: acme }), [other.chunkId(0)]);
      assert.deepEqual(await findWords(index, ["one"]), [one.chunkId(0)]);
    }),

    promise("ends with the caller's signal", async (storage) => {
      const { index } = storage;
      const call = { signal: AbortSignal.abort() };
      for (const asked of [
        () => index.keywordSearch(words(["one"]), call),
        () => index.vectorSearch(nearest([1, 0, 0]), call),
        () => index.writeVectors([], call),
        () => index.removeVectors(SCOPE, "all", call),
        () => index.livePassages({ scope: SCOPE, ids: [] }, call),
      ]) {
        await assert.rejects(asked(), { name: "AbortError" });
      }
    }),
  ];
}

function words(texts: readonly string[]): KeywordSearch {
  const terms = texts.map((text) => ({ text, prefix: false }));
  return { scope: SCOPE, terms, limit: 100, filter: null, required: null, typoTolerance: false, withPassages: false };
}

async function findWords(index: SearchIndex, texts: readonly string[], change: Partial<KeywordSearch> = {}) {
  return (await index.keywordSearch({ ...words(texts), ...change })).matches.map(({ id }) => id);
}

function nearest(vector: readonly number[]): VectorSearch {
  const options = { filter: null, required: null, withPassages: false, approximate: false };
  return { scope: SCOPE, vector: Float32Array.from(vector), limit: 100, ...options };
}

async function findNearest(index: SearchIndex, vector: readonly number[], change: Partial<VectorSearch> = {}) {
  return (await index.vectorSearch({ ...nearest(vector), ...change })).matches.map(({ id }) => id);
}

function assertClose(actual: number, expected: number, tolerance = 1e-9): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);
}
