import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

const RULES =
  "The lamp oil is stored in the north shed behind the harbour office, and two barrels are kept in reserve.";
const TEXTS = [
  RULES,
  RULES.replace("two barrels", "three barrels"),
  RULES.replace("north shed behind the harbour office", "cellar under the old chapel"),
  "Lamp oil burns for nine hours.",
];
const OPTIONS = { mode: "keyword", topK: 2 } as const;
let handle: NamespaceHandle;
beforeAll(async () => {
  handle = await newNamespace(kb);
  await ingestTexts(handle, TEXTS);
});

async function textsFound(maxSimilarity?: number) {
  const hits = await handle.search("lamp oil stored", { ...OPTIONS, topK: 4, maxSimilarity });
  return hits.map(({ text }) => TEXTS.indexOf(text)).sort();
}

it("leaves out passages that share more words with a better one", async () => {
  expect(await textsFound()).toEqual([0, 1, 2, 3]);
  expect(await textsFound(1)).toEqual([0, 1, 2, 3]);
  const [first, ...others] = await textsFound(0.7);
  expect([0, 1]).toContain(first);
  expect(others).toEqual([2, 3]);
  expect((await textsFound(0.3)).at(-1)).toBe(3);
  expect(await textsFound(0.3)).toHaveLength(2);
});

it("returns others instead, as many as without", async () => {
  const hits = await handle.search("lamp oil stored", { ...OPTIONS, maxSimilarity: 0.3 });
  expect(hits.map(({ text }) => TEXTS.indexOf(text)).at(-1)).toBe(3);
  expect(hits).toHaveLength(2);
});

it("explains what was left out", async () => {
  const hits = await handle.search("lamp oil stored", { ...OPTIONS, topK: 4 });
  const [better, worse] = hits.filter(({ text }) => TEXTS.indexOf(text) < 2);
  const documentId = worse!.id.split("#")[0]!;
  const explanation = await handle.explain("lamp oil stored", { mode: "keyword", maxSimilarity: 0.7, documentId });
  expect(explanation).toMatchObject({
    outcome: "lost",
    stage: "duplicate",
    duplicateOf: better!.id,
    reason: expect.stringContaining("more than maxSimilarity"),
  });
});
