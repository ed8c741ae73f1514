import type { Chunk, NamespaceHandle, SearchHit } from "lorebase";
import { evaluate } from "lorebase/evaluate";
import { fakeEmbedder } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ingestTexts, LEXICAL, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

const MODES = ["semantic", "keyword", "hybrid"] as const;
const embedder = fakeEmbedder({ dimensions: 32 });
const kb = openKnowledgeBase({ embedders: [providerOf(embedder)] });
let handle: NamespaceHandle;

const TEXTS = [
  "The harbour lamp burns through the fog all night.",
  "A lamp in the harbour office.",
  "Fog at the pier; the harbour is closed.",
  "The old lamp was sold to the night watch.",
  "Harbour dues are paid in spring.",
  "Nothing of the sea stands here at all.",
];

beforeAll(async () => {
  handle = await newNamespace(kb);
  await ingestTexts(handle, TEXTS);
});
afterAll(() => kb.close());

const textsOf = (hits: readonly SearchHit[]) => hits.map(({ text }) => text);

it("uses mode hybrid by default, as explain and evaluate do", async () => {
  const query = "harbour lamp fog";
  const hits = await handle.search(query, { explain: true });
  expect(Object.keys(hits[0]!.explanation!)).toEqual(["keyword", "semantic", "fusion"]);
  expect(hits).toEqual(await handle.search(query, { mode: "hybrid", explain: true }));
  expect(hits).toEqual(await kb.search(handle.ref, query, { explain: true }));

  const documentId = hits[0]!.metadata!.documentId as string;
  const explained = await handle.explain(query, { documentId });
  expect(explained).toEqual(await handle.explain(query, { documentId, mode: "hybrid" }));
  expect(explained).not.toEqual(await handle.explain(query, { documentId, mode: "semantic" }));

  // Each document in turn is the answer, so that the measures tell the whole order.
  const questions = hits.map(({ id, metadata }) => {
    return { id, question: query, answers: [{ document: metadata!.documentId as string }] };
  });
  const settings = [
    { name: "default" },
    { name: "both", mode: "hybrid" },
    { name: "meaning", mode: "semantic" },
  ] as const;
  const { results } = await evaluate(handle, questions, { settings, measures: ["MRR@100"] });
  const [byDefault, both, meaning] = results.map((result) => result.questions);
  expect(byDefault).toEqual(both);
  expect(byDefault).not.toEqual(meaning);
});

describe.each(MODES)("%s", (mode) => {
  it("returns the best topK hits with scores from 0 to 1, best first", async () => {
    const hits = await handle.search("harbour lamp fog", { mode });
    expect(hits.length).toBeGreaterThanOrEqual(4);
    for (const [place, { score }] of hits.entries()) {
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      if (place > 0) expect(score).toBeLessThanOrEqual(hits[place - 1]!.score);
    }
    if (mode !== "hybrid") expect(hits[0]!.text).toBe(TEXTS[0]);
    for (const topK of [1, 2, 3]) {
      const best = await handle.search("harbour lamp fog", { mode, topK });
      expect(textsOf(best)).toEqual(textsOf(hits).slice(0, topK));
    }
  });

  it("omits hits below minScore and keeps those with exactly minScore", async () => {
    const hits = await handle.search("harbour lamp fog", { mode });
    for (const { score } of hits) {
      const kept = await handle.search("harbour lamp fog", { mode, minScore: score });
      expect(textsOf(kept)).toEqual(textsOf(hits.filter((hit) => hit.score >= score)));
    }
    expect((await handle.search("harbour lamp fog", { mode, minScore: 0 })).length).toBe(hits.length);
  });

  it("returns rerankLimit hits, at most topK", async () => {
    const hits = await handle.search("harbour lamp fog", { mode, topK: 3 });
    const limited = (rerankLimit: number) => handle.search("harbour lamp fog", { mode, topK: 3, rerankLimit });
    expect(textsOf(await limited(2))).toEqual(textsOf(hits).slice(0, 2));
    expect(textsOf(await limited(50))).toEqual(textsOf(hits));
  });

  it("returns topK passages with every word of keywordFilter", async () => {
    const only = async (keywordFilter: string, topK = 10) =>
      textsOf(await handle.search("harbour fog", { mode, topK, keywordFilter })).toSorted();
    const having = (...texts: number[]) => texts.map((index) => TEXTS[index]!).toSorted();
    const inMode = (...texts: number[]) =>
      having(...(mode !== "keyword" ? texts : texts.filter((index) => index < 3 || index === 4)));
    expect(await only("lamp")).toEqual(inMode(0, 1, 3));
    expect(await only("LAMPS night")).toEqual(inMode(0, 3));
    expect(await only('"lamp in the harbour"')).toEqual(inMode(1));
    expect(await only('"harbour in the lamp"')).toEqual([]);
    expect(await only("absent")).toEqual([]);
    expect(await only("off*")).toEqual(inMode(1));
    // The nearest passage of all lacks the words.
    expect(await only("dues", 1)).toEqual(inMode(4));
    const unfiltered = textsOf(await handle.search("harbour fog", { mode })).toSorted();
    for (const none of ["", "  ", "?!"]) expect(await only(none)).toEqual(unfiltered);
  });

  it("omits metadata with includeMetadata: false", async () => {
    const [shown] = await handle.search("harbour", { mode, topK: 1 });
    expect(shown!.metadata).toEqual({
      documentId: shown!.id.split("#")[0],
      namespaceId: handle.ref,
      sequence_number: 0,
    });
    const [bare] = await handle.search("harbour", { mode, topK: 1, includeMetadata: false });
    expect(bare).toEqual({ id: shown!.id, score: shown!.score, text: shown!.text });
  });

  it("returns nothing for an empty scope", async () => {
    expect(await (await newNamespace(kb)).search("harbour", { mode })).toEqual([]);
  });

  it("rejects when the caller aborts", async () => {
    const signal = AbortSignal.abort();
    await expect(handle.search("harbour", { mode, signal })).rejects.toMatchObject({ name: "AbortError" });
  });
});

it("returns the neighbours of a hit", async () => {
  const document = await newNamespace(kb);
  const text =
    "# Port\n\nThe opening words.\n\n## Lamps\n\nThe first lamp burns.\n\nThe second lamp burns.\n\n## End\n\nThe last words.";
  const run = await document.ingest({ type: "TEXT", text, fileName: "port.md" }, { chunkSize: 32, maxChunkSize: 60 });
  expect((await run.done()).status).toBe("COMPLETED");
  const [{ id: documentId } = { id: "" }] = (await document.documents.list()).items;
  const chunks: Chunk[] = [];
  for await (const chunk of document.documents.chunks(documentId)) chunks.push(chunk);
  const at = (part: string) => chunks.findIndex((chunk) => chunk.text.includes(part));
  const found = async (part: string) =>
    (await document.search(part, { mode: "keyword", includeRelationships: true })).find(({ text: own }) =>
      own.includes(part),
    )!;

  const first = await found("first lamp");
  expect(first.relationships).toEqual({
    previous: `${documentId}#${at("first lamp") - 1}`,
    next: `${documentId}#${at("second lamp")}`,
    document: documentId,
    headingPath: first.metadata!.headings,
    siblings: [`${documentId}#${at("second lamp")}`],
  });
  expect(first.relationships!.headingPath).toEqual(["Port", "Lamps"]);
  expect((await found("opening words")).relationships).not.toHaveProperty("previous");
  expect((await found("last words")).relationships).not.toHaveProperty("next");
  const [plain] = await document.search("first lamp", { mode: "keyword" });
  expect(plain).not.toHaveProperty("relationships");
});

it("calls no embedder in mode keyword, and embeds the query once otherwise", async () => {
  const space = await newNamespace(kb, { embeddingConfig: { provider: embedder.provider } });
  await ingestTexts(space, ["A lamp."]);
  const before = embedder.calls.length;
  await space.search("lamp", { mode: "keyword", keywordFilter: "lamp", filter: { documentId: { $exists: true } } });
  expect(embedder.calls.length).toBe(before);
  for (const mode of ["semantic", "hybrid"] as const) await space.search("lamp", { mode });
  expect(embedder.calls.slice(before)).toEqual([
    { texts: ["lamp"], purpose: "query" },
    { texts: ["lamp"], purpose: "query" },
  ]);
});

it("returns the caller's metadata unchanged", async () => {
  const metadata = JSON.parse(
    '{"text":"\\ud800 \\u0000","number":1e308,"yes":true,"none":null,"list":["a"],"deep":{"a":[{"__proto__":1}]},"__proto__":"own","filename":"mine"}',
  );
  const space = await newNamespace(kb, { embeddingConfig: LEXICAL });
  await (await space.ingest({ type: "TEXT", text: "A lamp.", fileName: "theirs.txt" }, { metadata })).done();
  const [hit] = await space.search("lamp", { filter: JSON.parse('{"__proto__":"own"}') });
  const { documentId, namespaceId, sequence_number, ...own } = hit!.metadata!;
  const sorted = (record: object) => JSON.stringify(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  expect(sorted(own)).toBe(sorted(metadata));
  expect(Object.hasOwn(own, "__proto__")).toBe(true);
  expect(await space.search("lamp", { filter: JSON.parse('{"__proto__":"other"}') })).toEqual([]);
  expect(({} as Record<string, unknown>).own).toBe(undefined);
});
