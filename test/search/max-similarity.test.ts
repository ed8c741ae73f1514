import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chooseCandidates } from "#dist/search/choose-candidates.js";
import type { Candidate } from "../../src/search/ranked-chunk.js";
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

it("leaves out nothing for its similarity to a passage that perDocument leaves out", async () => {
  const separated = await newNamespace(kb);
  const similar = RULES.replace("two barrels", "three barrels");
  await separated.ingest({ type: "TEXT", text: `lamp oil stored.|${RULES}` }, { delimiter: "|" }).done();
  await separated.ingest({ type: "TEXT", text: similar }).done();
  const hits = await separated.search("lamp oil stored", { ...OPTIONS, maxSimilarity: 0.7, perDocument: 1 });
  expect(hits.map(({ text }) => text)).toEqual(["lamp oil stored.", similar]);
});

it("compares the words of as many passages as it needs, each once", () => {
  const features = new Map<string, ReadonlySet<string>>();
  const candidates = Array.from({ length: 50 }, (_, index) => candidateOf(index, `d${index % 2}`, `word${index} lamp`));
  const limits = { topK: 3, maxSimilarity: 0.5, features };
  expect(chooseCandidates(candidates, limits).candidates).toEqual(candidates.slice(0, 3));
  expect(features.size).toBe(3);
  const known = new Map(features);
  expect(chooseCandidates(candidates, { ...limits, perDocument: 1 }).candidates).toEqual(candidates.slice(0, 2));
  expect([...features]).toEqual([...known]);
  for (const [text, words] of features) expect(words).toBe(known.get(text));
});

function candidateOf(index: number, documentId: string, text: string): Candidate {
  const passage = { documentId, contentHash: null, text } as Partial<Candidate["passage"]> as Candidate["passage"];
  return { passage, ranked: { id: String(index), rank: index + 1, score: 1 } };
}
