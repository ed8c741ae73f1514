import fc from "fast-check";
import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
let handle: NamespaceHandle;
const TEXTS = [
  "near the column of the lighthouse",
  "lighthouse keeper, column and all",
  "the keeper of the house of light",
  "Überfahrt nach Łódź im café",
  "to be or not to be",
];
beforeAll(async () => {
  handle = await newNamespace(kb);
  await ingestTexts(handle, TEXTS);
});
afterAll(() => kb.close());

const find = async (query: string) => (await handle.search(query, { mode: "keyword" })).map(({ text }) => text);

it("treats quoted words as a phrase", async () => {
  expect(await find('"keeper of the house"')).toEqual([TEXTS[2]]);
  expect(await find('"house of the keeper"')).toEqual([]);
  expect(await find('"the column" lighthouse')).toEqual([TEXTS[0], TEXTS[1]]);
  expect((await find('keeper "unclosed')).toSorted()).toEqual([TEXTS[1], TEXTS[2]].toSorted());
});

it("treats a star as any ending", async () => {
  expect((await find("light*")).toSorted()).toEqual([TEXTS[0], TEXTS[1], TEXTS[2]].toSorted());
  expect(await find("light")).toEqual([TEXTS[2]]);
  expect((await find('"of the ligh"*')).toSorted()).toEqual([TEXTS[0]]);
  expect((await find("hous* no*")).length).toBeGreaterThan(1);
  expect(await find("no* cafe")).toContain(TEXTS[4]);
});

it("finds an English word by any prefix, whatever its stem", async () => {
  const words = `running universities nationality happiness organization relational stopped studies quickly carefully effectiveness
    generalization dependent possibilities hesitating controlling agreed ponies radically vietnamization oscillators conformably
    differently electricity hopefulness formalize adjustable irritant replacement communism activation bowdlerized defensible`;
  const english = await newNamespace(kb);
  await ingestTexts(english, words.split(/\s+/));
  for (const word of words.split(/\s+/)) {
    for (let length = 3; length <= word.length; length++) {
      const hits = await english.search(`${word.slice(0, length)}*`, { mode: "keyword", includeHighlights: true });
      const hit = hits.find(({ text }) => text === word);
      expect([word.slice(0, length), hit?.highlights]).toEqual([
        word.slice(0, length),
        [{ start: 0, end: word.length }],
      ]);
    }
  }
});

it.each([
  ["key*", ["keyword"]],
  ["gas*", ["gasoline"]],
  ["gases*", []],
  ["off*", ["office"]],
  ["play*", ["playground", "played"]],
])("does not take the beginning %s for a whole word", async (query, texts) => {
  for (const languageCode of ["en", "de"]) {
    const words = await newNamespace(kb);
    const items = ["keyword", "kein", "gasoline", "game", "playground", "played", "plaintiff", "office", "of"];
    const batch = items.map((text) => ({ type: "TEXT" as const, text }));
    await (await words.ingest({ type: "BATCH", items: batch }, { languageCode })).done();
    const hits = await words.search(query, { mode: "keyword", includeHighlights: true });
    expect(hits.map(({ text }) => text).toSorted()).toEqual(texts.toSorted());
    for (const { text, highlights } of hits) expect(highlights).toEqual([{ start: 0, end: text.length }]);
  }
});

it("ignores case, accents and endings", async () => {
  expect(await find("uberfahrt CAFE")).toEqual([TEXTS[3]]);
  expect(await find("keepers columns")).toContain(TEXTS[1]);
});

it("ranks passages with every word before others", async () => {
  const hits = await handle.search("keeper column", { mode: "keyword" });
  expect(hits.map(({ text }) => text)[0]).toBe(TEXTS[1]);
  expect(hits[0]!.score).toBeGreaterThanOrEqual(0.5);
  expect(hits.length).toBe(3);
  for (const { score } of hits.slice(1)) expect(score).toBeLessThan(0.5);
});

it("searches stop words if the query has no other words", async () => {
  expect(await find("to be or not to be")).toEqual([TEXTS[4]]);
});

it.each(["", " ", "?", '""', "***", "-", "( )", "…", "\0", '"*"', "\ud800"])(
  "finds nothing without a word: %j",
  async (query) => {
    const call = handle.search(query, { mode: "keyword" });
    if (query === "") await expect(call).rejects.toMatchObject({ code: "invalid_input" });
    else expect(await call).toEqual([]);
  },
);

const SYNTAX = [
  '"',
  "*",
  "(",
  ")",
  "^",
  "-",
  "+",
  "OR",
  "AND",
  "NOT",
  "NEAR",
  "NEAR(",
  "col:",
  "text:",
  "{",
  "}",
  ":",
  "\\",
  "'",
  ";",
  "\0",
];

it("treats no character of a query as syntax", async () => {
  for (const query of [
    '" OR * ( NEAR col:',
    "text:keeper",
    "keeper NOT column",
    "NEAR(keeper column, 2)",
    "^near",
    "{text}:keeper",
    "column: near",
    "keeper -column",
    'a" OR "b',
    "keeper*column*",
    "keeper';--",
  ]) {
    await find(query);
    await handle.search("keeper", { keywordFilter: query });
  }
  // Were NOT an operator, this one would be missing.
  expect(await find("keeper NOT column")).toContain(TEXTS[1]);
  expect(await find("text:keeper")).toEqual(expect.arrayContaining([TEXTS[1], TEXTS[2]]));
});

it("fails for no query", async () => {
  const piece = fc.oneof(
    fc.constantFrom(...SYNTAX, "keeper", "column", "lighthouse"),
    fc.string({ unit: "binary", maxLength: 4 }),
  );
  const query = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(" ").trim() || "x");
  const options = fc.record(
    { mode: fc.constantFrom("keyword" as const, "hybrid" as const), keywordFilter: query },
    { requiredKeys: ["mode"] },
  );
  await fc.assert(
    fc.asyncProperty(query, options, async (text, given) => {
      for (const { score } of await handle.search(text, given)) {
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 300 },
  );
});

it("accepts queries of the maximum length", async () => {
  const words = Array.from({ length: 1_300 }, (_, index) => `w${index}`).join(" ");
  expect(await find(`keeper ${words}`)).toEqual(expect.arrayContaining([TEXTS[1], TEXTS[2]]));
  expect((await find(`${words.split(" ").slice(0, 254).join(" ")} keeper`)).length).toBe(2);
  expect(await handle.search("keeper", { mode: "keyword", keywordFilter: words })).toEqual([]);
  expect(await handle.search("keeper", { keywordFilter: words })).toEqual([]);
});
