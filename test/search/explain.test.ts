import type { DocumentExplanation, NamespaceHandle, SearchHit } from "lorebase";
import { fakeReranker } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase({ rerankers: [fakeReranker()] });
let handle: NamespaceHandle;
const ids: Record<string, string> = {};
const TEXTS = {
  lamp: "The harbour lamp burns through the fog.",
  office: "A lamp in the harbour office.",
  dues: "Harbour dues are paid in spring.",
  bread: "Bread is baked every morning.",
};
beforeAll(async () => {
  handle = await newNamespace(kb);
  for (const [name, text] of Object.entries(TEXTS)) ids[name] = await ingest(handle, name, text);
});
afterAll(() => kb.close());

async function ingest(into: NamespaceHandle, name: string, text: string): Promise<string> {
  const run = await into.ingest({ type: "TEXT", text }, { metadata: { name } });
  await run.done();
  return (await into.documents.list({ ingestJobId: run.id })).items[0]!.id;
}

type Lost = Extract<DocumentExplanation, { outcome: "lost" }>;
async function lost(name: string, query: string, options: object): Promise<Lost> {
  const explained = await handle.explain(query, { documentId: ids[name]!, ...options });
  if (explained.outcome !== "lost") throw new Error(`the document ${name} was returned`);
  return explained;
}

describe("a hit", () => {
  const named = (hits: readonly SearchHit[], name: string) => hits.find(({ metadata }) => metadata!.name === name)!;

  it("has its ranks and scores at every stage that ran", async () => {
    const hits = await handle.search("harbour lamp fogs", { mode: "hybrid", explain: true });
    const { score, rerankScore, explanation } = named(hits, "lamp");
    const { keyword, semantic, fusion, rerank } = explanation!;
    expect(keyword).toMatchObject({ rank: 1, termsFound: ["harbour", "lamp", "fogs"], termsMissing: [] });
    expect(keyword!.score).toBeCloseTo(0.5 + keyword!.bm25 / keyword!.ceiling / 2, 12);
    expect(semantic).toMatchObject({ rank: 2, score: semantic!.similarity });
    expect(fusion).toEqual({ method: "convex", semanticWeight: 0.1, rank: 1, score });
    expect(fusion!.score).toBeCloseTo(0.9 * keyword!.score + 0.1 * semantic!.score, 12);
    expect(rerank).toEqual({ model: "fake:overlap", rank: 1, score: rerankScore });
    expect(named(hits, "dues").explanation!.keyword).toMatchObject({
      termsFound: ["harbour"],
      termsMissing: ["lamp", "fogs"],
    });
    expect(named(hits, "bread").explanation).not.toHaveProperty("keyword");
  });

  it("has no other stages, and no explanation unless requested", async () => {
    const keys = async (options: object) => {
      return (await handle.search("harbour lamp", options)).map(
        ({ explanation }) => explanation && Object.keys(explanation),
      );
    };
    expect(new Set((await keys({ mode: "keyword", rerank: false, explain: true })).flat())).toEqual(
      new Set(["keyword"]),
    );
    expect(new Set((await keys({ mode: "semantic", rerank: false, explain: true })).flat())).toEqual(
      new Set(["semantic"]),
    );
    expect(await keys({ rerank: false })).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("is the same as without an explanation", async () => {
    for (const mode of ["keyword", "semantic", "hybrid"] as const) {
      const plain = await handle.search("harbour lamp", { mode, rerankLimit: 2 });
      const explained = await handle.search("harbour lamp", { mode, rerankLimit: 2, explain: true });
      expect(explained.map(({ explanation, ...hit }) => hit)).toEqual(plain);
    }
  });

  it("shows phrases and prefixes as they were typed", async () => {
    const [hit] = await handle.search('"the harbour" offi* zeppelin', { mode: "keyword", explain: true });
    expect(hit!.explanation!.keyword).toMatchObject({
      termsFound: ['"the harbour"', "offi*"],
      termsMissing: ["zeppelin"],
    });
  });
});

describe("a document", () => {
  it("that is returned has the ranks of the search", async () => {
    const options = { mode: "hybrid", topK: 3 } as const;
    const hits = await handle.search("harbour lamp", { ...options, explain: true });
    const rank = hits.findIndex(({ metadata }) => metadata!.name === "office") + 1;
    const { id, score, explanation } = hits[rank - 1]!;
    expect(await kb.explain(handle.ref, "harbour lamp", { documentId: ids.office!, ...options })).toEqual({
      outcome: "returned",
      documentId: ids.office,
      hits: [{ id, rank, score, explanation }],
    });
  });

  it("that does not match the filter", async () => {
    const explained = await lost("dues", "harbour", { filter: { name: "lamp" }, minScore: 1 });
    expect(explained).toMatchObject({ stage: "filter", chunks: 1 });
    expect(explained.reason).toContain("filter");
  });

  it("that lacks words of the keywordFilter", async () => {
    const explained = await lost("dues", "harbour", { keywordFilter: "harbour lamp" });
    expect(explained).toMatchObject({ stage: "keywordFilter", termsFound: ["harbour"], termsMissing: ["lamp"] });
    expect(explained.reason).toContain("lamp");
  });

  it("that has no term of the query, or ranks too low by keywords", async () => {
    const none = await lost("bread", "harbour lamp", { mode: "keyword" });
    expect(none).toMatchObject({ stage: "keyword", rank: null, cut: 10 });
    expect(none).toMatchObject({ keyword: { rank: null, termsFound: [], termsMissing: ["harbour", "lamp"] } });
    const late = await lost("dues", "harbour lamp", { mode: "keyword", topK: 2 });
    expect(late).toMatchObject({ stage: "keyword", rank: 3, cut: 2, keyword: { rank: 3, termsFound: ["harbour"] } });
  });

  it("that ranks too low by meaning", async () => {
    const explained = await lost("bread", "harbour lamp", { mode: "semantic", topK: 3 });
    expect(explained).toMatchObject({ stage: "semantic", rank: 4, cut: 3, semantic: { rank: 4 } });
  });

  it("whose fused rank is too low", async () => {
    const explained = await lost("dues", "harbour lamp", { mode: "hybrid", topK: 2 });
    expect(explained).toMatchObject({ stage: "fusion", rank: 3, cut: 2, fusion: { rank: 3, method: "convex" } });
    expect(explained).toMatchObject({ explanation: { keyword: { rank: 3 }, semantic: { rank: 3 } } });
  });

  it("that is not among the candidates", async () => {
    const space = await newNamespace(kb);
    const items = Array.from({ length: 230 }, (_, index) => `The harbour lamp, number ${index}.`);
    const run = await space.ingest({ type: "BATCH", items: items.map((text) => ({ type: "TEXT", text })) });
    await run.done();
    const documentId = await ingest(space, "bread", "Bread is baked every morning.");
    const explained = await space.explain("harbour lamp", { documentId, mode: "hybrid", topK: 100 });
    expect(explained).toMatchObject({
      stage: "candidates",
      cut: 200,
      keyword: { rank: null },
      semantic: { rank: 231 },
    });
  });

  it("that scores below minScore", async () => {
    const explained = await lost("dues", "harbour lamp", { mode: "keyword", minScore: 0.5 });
    if (explained.stage !== "minScore") throw new Error(explained.stage);
    expect(explained.minScore).toBe(0.5);
    expect(explained.score).toBeLessThan(0.5);
    expect(explained.score).toBe(explained.explanation.keyword!.score);
  });

  it("that ranks beyond rerankLimit, with or without a reranker", async () => {
    const query = "harbour lamp";
    const reranked = await lost("dues", query, { rerankLimit: 2, topK: 4 });
    expect(reranked).toMatchObject({ stage: "rerank", rank: 3, cut: 2 });
    expect(reranked).toMatchObject({ rerank: { model: "fake:overlap", rank: 3, score: 0.5 } });
    const plain = await lost("dues", query, { rerankLimit: 2, topK: 4, rerank: false });
    expect(plain).toMatchObject({ stage: "rerank", rank: 3, cut: 2, rerank: null });
  });

  it("in another partition", async () => {
    const documentId = await ingest(handle.tenant("acme"), "theirs", "The harbour lamp of another.");
    const fromOutside = await handle.explain("harbour lamp", { documentId });
    expect(fromOutside).toMatchObject({ outcome: "lost", stage: "scope", tenantId: "acme", searchedTenantId: null });
    expect(await handle.tenant("acme").explain("harbour lamp", { documentId })).toMatchObject({ outcome: "returned" });
    const foreign = await failureOf(() => handle.tenant("other").explain("harbour lamp", { documentId }));
    expect(foreign.code).toBe("not_found");
    const own = await failureOf(() => handle.tenant("acme").explain("harbour lamp", { documentId: ids.lamp! }));
    expect(own.code).toBe("not_found");
  });

  it("without published text", async () => {
    const documentId = await ingest(handle, "blank", " \n ");
    const explained = await handle.explain("harbour", { documentId });
    expect(explained).toMatchObject({ outcome: "lost", stage: "status", status: "COMPLETED" });
  });

  it("refuses unknown documents and invalid options", async () => {
    expect((await failureOf(() => handle.explain("lamp", { documentId: "doc_none" }))).code).toBe("not_found");
    const error = await failureOf(() => handle.explain("lamp", { documentID: ids.lamp } as never));
    expect([error.code, error.message]).toEqual(["invalid_input", expect.stringContaining("documentId")]);
    const topK = await failureOf(() => handle.explain("lamp", { documentId: ids.lamp!, topK: 0 }));
    expect(topK.issues[0]!.field).toBe("topK");
  });
});
