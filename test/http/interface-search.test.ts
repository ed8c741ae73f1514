import { fakeReranker } from "lorebase/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { searchHitSchema } from "#dist/http/response-schemas.js";
import type { InterfaceClient, InterfaceError } from "./support/interface-client.js";
import { type InterfaceSession, startSession } from "./support/interface-session.js";
import type { SearchResult } from "./support/interface-types.js";

const TEXTS = [
  "The harbour of the old town is closed in winter.",
  "Fishing boats leave the harbour before dawn.",
  "A lighthouse stands above the harbour wall.",
  "The lighthouse keeper lights a lamp at dusk.",
  "Bread is baked in the town every morning.",
  "The harbour master keeps a record of all boats in the old harbour.",
];

let session: InterfaceSession;
let namespace: string;
const overlap = fakeReranker();
const fast = fakeReranker({ model: "cohere:rerank-v4.0-fast" });
beforeAll(async () => {
  session = await startSession({ rerankers: [overlap, fast] });
  namespace = (await session.newNamespace()).id;
  await ingest(session.client, namespace);
});
afterEach(() => expect(session.checks.faults).toEqual([]));
afterAll(() => session.server.close());

async function ingest(client: InterfaceClient, id: string): Promise<void> {
  const items = TEXTS.map((text, place) => ({
    ...{ type: "TEXT", text, fileName: `${place}.txt` },
    config: { metadata: { place, even: place % 2 === 0, tags: ["all", `tag${place % 3}`] } },
  }));
  const job = await client.createIngestJob(id, { payload: { type: "BATCH", items } });
  expect((await client.completed(id, job.id)).status).toBe("COMPLETED");
}

type Body = Readonly<Record<string, unknown>>;
const search = (body: Body) => session.client.search(namespace, { query: "harbour", rerank: false, ...body });
const places = (hits: readonly SearchResult[]) => hits.map(({ metadata }) => metadata?.place as number);
const statusOf = (body: Body) =>
  search(body).then(
    () => 200,
    (error: InterfaceError) => error.status,
  );
const MODES = ["semantic", "keyword", "hybrid"] as const;

describe.each(MODES)("in the mode %s", (mode) => {
  it("finds the relevant passages, best first, with scores from 0 to 1", async () => {
    const hits = await search({ mode });
    expect(places(hits).slice(0, 4).sort()).toEqual([0, 1, 2, 5]);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const hit of hits) {
      expect(hit.id).toMatch(/^doc_\w+#0$/);
      expect(hit.text).toBe(TEXTS[hit.metadata?.place as number]);
      expect(hit.metadata).toMatchObject({ filename: `${hit.metadata?.place}.txt`, namespaceId: namespace });
      expect(Object.keys(hit)).not.toContain("relationships");
      expect(hit.rerankScore).toBe(undefined);
    }
  });

  it("applies the filter before it takes the best", async () => {
    expect(places(await search({ mode, filter: { place: 2 }, topK: 1 }))).toEqual([2]);
    expect(places(await search({ mode, filter: { place: { $gte: 2, $lt: 6 }, even: false } })).sort()).not.toContain(1);
    expect(places(await search({ mode, filter: { tags: { $in: ["tag2"] } }, topK: 1 }))).not.toEqual([0]);
    expect(await search({ mode, filter: { place: "2" } })).toEqual([]);
  });

  it("leaves out passages below minScore or without a required word", async () => {
    const all = await search({ mode });
    const [first, second] = all;
    const kept = all.filter(({ score }) => score >= second!.score);
    expect(await search({ mode, minScore: second!.score })).toEqual(kept);
    expect(first!.score).toBeGreaterThan(0);
    expect(places(await search({ mode, keywordFilter: "boats" })).sort()).toEqual([1, 5]);
    expect(places(await search({ mode, keywordFilter: '"old harbour"' }))).toEqual([5]);
    expect(await search({ mode, keywordFilter: "harbour zeppelin" })).toEqual([]);
  });

  it("explains each hit on request", async () => {
    const [first] = await search({ mode, explain: true });
    const stages = { semantic: ["semantic"], keyword: ["keyword"], hybrid: ["keyword", "semantic", "fusion"] };
    expect(Object.keys((first as { explanation?: object }).explanation ?? {})).toEqual(stages[mode]);
  });

  it("searches for other wordings too, and names that of each hit", async () => {
    const hits = await search({ mode, alternatives: ["old boats"], explain: true });
    for (const hit of hits) {
      const { explanation } = searchHitSchema.parse(hit);
      expect(["harbour", "old boats"]).toContain(explanation?.query);
    }
    expect(hits.length).toBeGreaterThan(0);
    expect(await statusOf({ mode, alternatives: [""] })).toBe(422);
  });

  it("retrieves topK", async () => {
    const all = await search({ mode });
    expect(await search({ mode, topK: 3 })).toEqual(all.slice(0, 3));
    expect(await search({ mode, topK: 100 })).toEqual(all);
    expect(await search({ mode, rerankLimit: 2 })).toEqual(all.slice(0, 2));
  });

  it("searches the partition of the tenant, or the default one", async () => {
    const { client, newNamespace } = session;
    const { id } = await newNamespace();
    for (const [who, text] of [
      [client, "Everybody's harbour."],
      [client.tenant("acme"), "Acme's harbour."],
    ] as const) {
      const job = await who.createIngestJob(id, { payload: { type: "TEXT", text } });
      await who.completed(id, job.id);
    }
    const texts = async (who: InterfaceClient) =>
      (await who.search(id, { query: "harbour", mode })).map(({ text, metadata }) => [text, metadata?.tenantId]);
    expect(await texts(client)).toEqual([["Everybody's harbour.", undefined]]);
    expect(await texts(client.tenant("acme"))).toEqual([["Acme's harbour.", "acme"]]);
    expect(await texts(client.tenant("Acme"))).toEqual([]);
  });
});

it("is semantic by default", async () => {
  const query = "harbour boats";
  const hits = await search({ query, explain: true });
  expect(hits).toEqual(await search({ query, explain: true, mode: "semantic" }));
  expect(hits).not.toEqual(await search({ query, explain: true, mode: "hybrid" }));
  expect(await statusOf({ mode: null })).toBe(422);
});

it("leaves out metadata or adds relationships on request", async () => {
  const [bare] = await search({ includeMetadata: false });
  expect(Object.keys(bare!).sort()).toEqual(["id", "score", "text"]);
  const text = Array.from({ length: 8 }, (_, part) => `Paragraph ${part} of the long report on tides.`).join("\n\n");
  const config = { chunkSize: 64 };
  const { id } = await session.newNamespace();
  const job = await session.client.createIngestJob(id, { payload: { type: "TEXT", text }, config });
  await session.client.completed(id, job.id);
  const hits = await session.client.search(id, { query: "Paragraph 3", mode: "keyword", includeRelationships: true });
  const { document, previous, next } = hits[0]!.relationships!;
  const place = Number(hits[0]!.id.split("#")[1]);
  expect([document, previous, next]).toEqual([
    hits[0]!.id.split("#")[0],
    `${document}#${place - 1}`,
    `${document}#${place + 1}`,
  ]);
});

describe("a reranker", () => {
  const query = "harbour master record of boats";

  it("is the default one if none is named, and decides the order", async () => {
    const hits = await search({ query, rerank: undefined, topK: 6, rerankLimit: 3 });
    expect(hits).toHaveLength(3);
    expect(places(hits)[0]).toBe(5);
    const scores = hits.map(({ rerankScore }) => rerankScore!);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(overlap.calls.at(-1)).toMatchObject({ query, limit: 3 });
    expect(overlap.calls.at(-1)!.passages).toHaveLength(6);
  });

  it("scores the passages that minScore leaves", async () => {
    const all = await search({ query, topK: 6 });
    const minScore = all[2]!.score;
    await search({ query, rerank: true, topK: 6, minScore });
    const left = all.filter(({ score }) => score >= minScore).map(({ text }) => text);
    expect(overlap.calls.at(-1)!.passages).toEqual(left);
  });

  it("can be named by its vendor or the neutral name", async () => {
    for (const rerankModel of ["cohere:rerank-v4.0-fast", "vendor_a:rerank-v4.0-fast"]) {
      const before = fast.calls.length;
      await search({ query, rerank: true, rerankModel });
      expect(fast.calls.length).toBe(before + 1);
    }
  });

  it("is refused if it is not configured", async () => {
    expect(await statusOf({ rerank: true, rerankModel: "vendor_b:zerank-2" })).toBe(400);
    expect(await statusOf({ rerank: false, rerankModel: "vendor_b:zerank-2" })).toBe(400);
    expect(await statusOf({ rerank: false, rerankModel: "vendor_a:rerank-v4.0-fast" })).toBe(200);
  });

  it("returns at most topK hits, even with a larger rerankLimit", async () => {
    expect(await search({ query, rerank: true, topK: 2, rerankLimit: 50 })).toHaveLength(2);
  });
});

it("keeps the order of retrieval without a reranker, and truncates to rerankLimit", async () => {
  const bare = await startSession();
  try {
    const { id } = await bare.newNamespace();
    await ingest(bare.client, id);
    const all = await bare.client.search(id, { query: "harbour" });
    expect(all.map(({ rerankScore }) => rerankScore)).toEqual(all.map(() => undefined));
    expect(await bare.client.search(id, { query: "harbour", topK: 5, rerankLimit: 2 })).toEqual(all.slice(0, 2));
    const named = bare.client.search(id, { query: "harbour", rerankModel: "vendor_a:rerank-v4.0-pro" });
    await expect(named).rejects.toMatchObject({ status: 400 });
  } finally {
    await bare.server.close();
  }
});

it.each<[string, Body]>([
  ["no query", { query: undefined }],
  ["an empty query", { query: "" }],
  ["topK 0", { topK: 0 }],
  ["topK 101", { topK: 101 }],
  ["topK as text", { topK: "10" }],
  ["rerankLimit 0", { rerankLimit: 0 }],
  ["rerankLimit 101", { rerankLimit: 101 }],
  ["minScore below 0", { minScore: -0.1 }],
  ["minScore above 1", { minScore: 1.1 }],
  ["another mode", { mode: "psychic" }],
  ["an unknown operator", { filter: { place: { $near: 3 } } }],
  ["a filter that is none", { filter: "place = 3" }],
])("refuses %s", async (_, body) => {
  expect(await statusOf(body)).toBe(422);
});
