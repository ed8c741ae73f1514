import type { NamespaceHandle, SearchHit } from "lorebase";
import { createHandler } from "lorebase/http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { makePdf, pdfLines } from "../support/make-files.js";

const kb = openKnowledgeBase();
let handle: NamespaceHandle;

/** Two pages: a paragraph goes on over the page break in the middle of its second sentence, and another one follows. */
const makeManual = () =>
  makePdf([
    pdfLines(["The lamp is lit before sunset. The clockwork is wound by the keeper,"], 50, 700),
    [
      ...pdfLines(["who enters the hour in the logbook. The shutters stay closed till dawn."], 50, 100),
      ...pdfLines(["Puffins nest in the burrows from April to July."], 50, 160),
    ],
  ]);

beforeAll(async () => {
  handle = await newNamespace(kb);
  const { key } = await handle.uploads.put({ fileName: "manual.pdf", body: await makeManual() });
  expect((await (await handle.ingest({ type: "MANAGED_FILE", key })).done()).status).toBe("COMPLETED");
});
afterAll(() => kb.close());

const find = async (query: string, options = {}): Promise<SearchHit> => {
  const [hit] = await handle.search(query, { mode: "keyword", includeHighlights: true, ...options });
  return hit!;
};

/** Of each highlighted word its page, and the pages and tops of its boxes. */
const placesOf = ({ text, highlights }: SearchHit) =>
  highlights!.map(({ start, end, page, boxes }) => [
    text.slice(start, end),
    page,
    boxes!.map(({ page, bbox }) => [page, Math.round(bbox[1])]),
  ]);

describe("a hit", () => {
  test("has its first and last page, and starts on page_number", async () => {
    const { pages, metadata, boxes } = await find("puffins");
    expect([pages, metadata!.page_number]).toEqual([[1, 2], 1]);
    expect(boxes!.map(({ page }) => page)).toEqual([1, 2, 2]);
    expect(Object.keys(boxes![0]!)).toEqual(["page", "bbox"]);
    expect((await find("puffins", { includeMetadata: false })).pages).toBeUndefined();
  });

  test("has no page without its own text", async () => {
    const small = await newNamespace(kb);
    const { key } = await small.uploads.put({ fileName: "manual.pdf", body: await makeManual() });
    await (await small.ingest({ type: "MANAGED_FILE", key }, { chunkSize: 75 })).done();
    const [late] = await small.search("shutters", { mode: "keyword" });
    expect([late!.pages, late!.metadata!.page_number, late!.boxes!.map(({ page }) => page)]).toEqual([[2, 2], 2, [2]]);
    const [document] = (await small.documents.list()).items;
    const pages = [];
    for await (const chunk of small.documents.chunks(document!.id)) pages.push(chunk.pages);
    expect(pages[0]).toEqual([1, 1]);
    expect(pages.at(-1)).toEqual([2, 2]);
  });

  test("has no pages if its format has none", async () => {
    const plain = await newNamespace(kb);
    await (await plain.ingest({ type: "TEXT", text: "A lamp." })).done();
    const [hit] = await plain.search("lamp", { mode: "keyword", includeHighlights: true });
    expect(hit).not.toHaveProperty("pages");
    expect(hit!.highlights).toEqual([{ start: 2, end: 6 }]);
  });
});

describe("a highlight", () => {
  test("has the page of its words, also in a paragraph across a page break", async () => {
    const [first, next, last] = [
      [1, 692],
      [2, 92],
      [2, 152],
    ];
    expect(placesOf(await find("sunset shutters puffins"))).toEqual([
      ["sunset", 1, [first]],
      ["shutters", 2, [next]],
      ["Puffins", 2, [last]],
    ]);
    // This sentence stands on both pages.
    expect(placesOf(await find("clockwork logbook"))).toEqual([
      ["clockwork", 1, [first, next]],
      ["logbook", 2, [first, next]],
    ]);
  });
});

test("has the same pages over HTTP", async () => {
  const { key } = await kb.apiKeys.create({ name: "pages", scope: "read" });
  const answer = await createHandler(kb)(
    new Request(`http://localhost/v1/namespace/${handle.ref}/search`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ query: "puffins", mode: "keyword", includeHighlights: true }),
    }),
  );
  const { data } = (await answer.json()) as { data: readonly [SearchHit] };
  const [{ score: _, ...hit }] = data;
  const { score: __, ...own } = await find("puffins");
  expect(hit).toEqual(own);
});
