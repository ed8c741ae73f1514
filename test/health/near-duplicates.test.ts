import type { NamespaceHandle } from "lorebase";
import { afterAll, expect, it } from "vitest";
import { textMaker } from "../support/changed-texts.js";
import { ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

const maker = textMaker(7);

/** Pairs of the texts of near-duplicates and their originals. */
async function pairsIn(handle: NamespaceHandle) {
  const report = await handle.health.report({ maxSeconds: 600 });
  expect(report.isComplete).toBe(true);
  const pairs = [];
  for (let cursor: string | undefined; ; ) {
    const page = await handle.health.list("near-duplicates", { order: "asc", perPage: 3, cursor });
    pairs.push(...page.items.map(({ passage, original }) => [passage.text, original.text]));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  expect(report.nearDuplicates).toBe(pairs.length);
  return pairs.sort();
}

it("finds the copies in which a fifth of the words is replaced, and nothing else", async () => {
  const handle = await newNamespace(kb);
  const texts = Array.from({ length: 60 }, () => maker.newText(80));
  const copies = texts.slice(0, 8).map((text) => maker.change(text, 0.2));
  await ingestTexts(handle, [...texts, ...copies]);
  expect(await pairsIn(handle)).toEqual(copies.map((copy, index) => [copy, texts[index]]).sort());
});

it("compares what is new with what is there, and forgets what is gone", async () => {
  const handle = await newNamespace(kb);
  const first = maker.newText(60);
  const [second, third] = [maker.change(first, 0.1), maker.change(first, 0.1)];
  const original = await ingestTexts(handle, [first]);
  await ingestTexts(handle, [maker.newText(60), second]);
  expect(await pairsIn(handle)).toEqual([[second, first]]);
  expect(await pairsIn(handle)).toEqual([[second, first]]);
  await ingestTexts(handle, [third]);
  const withThird = await pairsIn(handle);
  expect(withThird.map(([passage]) => passage)).toEqual([second, third].sort());
  await handle.ingestJobs.delete(original);
  expect((await handle.health.report({ maxSeconds: 0 })).nearDuplicates).toBeLessThan(2);
  expect(await pairsIn(handle)).toEqual([[third, second]]);
});

it("finds all of many copies, with and without an original of before", async () => {
  const handle = await newNamespace(kb);
  const copies = Array<string>(40).fill(maker.newText(20));
  await ingestTexts(handle, copies);
  expect(await pairsIn(handle)).toHaveLength(39);
  await ingestTexts(handle, copies);
  expect(await pairsIn(handle)).toHaveLength(79);
});

it("takes short passages for duplicates only if they have the same words", async () => {
  const handle = await newNamespace(kb);
  await ingestTexts(handle, [
    "Close the valve slowly.",
    "Close the valve  slowly",
    "Close the valve quickly.",
    "…",
    "…",
  ]);
  expect(await pairsIn(handle)).toEqual([["Close the valve  slowly", "Close the valve slowly."]]);
});

it("compares texts without spaces between words", async () => {
  const handle = await newNamespace(kb);
  const text = "灯台の明かりは日没前に点灯され、夜明けまで消えることはありません。当番は毎時油の量を記録します。";
  const changed = text.replace("毎時", "必ず");
  await ingestTexts(handle, [
    text,
    changed,
    "港の事務所は月曜日から金曜日まで開いています。土曜日は予約が必要です。詳細は窓口へ。",
  ]);
  expect(await pairsIn(handle)).toEqual([[changed, text]]);
});

it("compares each tenant's passages with its own", async () => {
  const handle = await newNamespace(kb);
  const text = maker.newText(50);
  const tenants = ["north", "south"].map((id) => handle.tenant(id));
  for (const tenant of tenants) await ingestTexts(tenant, [text]);
  expect(await pairsIn(handle)).toEqual([]);
  await ingestTexts(tenants[0]!, [`${text} `]);
  expect(await pairsIn(tenants[0]!)).toEqual([[text, text]]);
  expect(await pairsIn(tenants[1]!)).toEqual([]);
  expect(await pairsIn(handle)).toEqual([[text, text]]);
});
