import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { getOrCreate } from "#dist/util/get-or-create.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { propertyRuns } from "../support/property-runs.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

const KEYWORD = { mode: "keyword" } as const;

async function namespaceOf(texts: readonly string[]) {
  const handle = await newNamespace(kb);
  const items = texts.map((text) => ({ type: "TEXT" as const, text }));
  await handle.ingest({ type: "BATCH", items }).done({ throwOnFailure: true });
  return handle;
}

/** The optimal string alignment distance of the starts of two words, by its recursive definition. */
function distance(a: string, b: string, known = new Map<string, number>()): number {
  if (a === "" || b === "") return a.length + b.length;
  return getOrCreate(known, `${a} ${b}`, () => {
    const without = (textA: number, textB: number) =>
      distance(a.slice(0, -textA || undefined), b.slice(0, -textB || undefined), known);
    const isSwapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
    return Math.min(
      without(1, 1) + (a.at(-1) === b.at(-1) ? 0 : 1),
      without(1, 0) + 1,
      without(0, 1) + 1,
      ...(isSwapped ? [without(2, 2) + 1] : []),
    );
  });
}

describe("a misspelled word", () => {
  const handle = namespaceOf([
    "The harbour lamp burns all night, and harbours are dark without one.",
    "Die Häuser am Leuchtturm sind aus Stein, und der Wärter wohnt in einem davon.",
    "Information about tides is on the board beside the pier.",
  ]);

  it("finds the word that differs by one edit, wherever the edit is", async () => {
    for (const typed of ["harbor", "harbuor", "aharbour", "harrbour", "harbourz", "hatbour", "xarbour", "arbour"]) {
      const hits = await (await handle).search(typed, KEYWORD);
      expect(
        hits.map(({ text }) => text.slice(0, 11)),
        typed,
      ).toEqual(["The harbour"]);
    }
    for (const typed of ["informaton", "informatoin"])
      expect((await (await handle).search(typed, KEYWORD)).map(({ text }) => text.slice(0, 11))).toEqual([
        "Information",
      ]);
    for (const typed of ["Leuchtturn", "leuhctturm", "Häusre"])
      expect((await (await handle).search(typed, KEYWORD)).map(({ text }) => text.slice(0, 10))).toEqual([
        "Die Häuser",
      ]);
  });

  it("orders passages as the word does: by its form, by where it stands, and by how near it is to the others", async () => {
    const filler = "and nothing else ".repeat(12);
    const passages = await namespaceOf([
      `The harbour and ${filler} a lamp.`,
      `The harbour lamp ${filler}.`,
      `Some ${filler} harbour lamp.`,
      `The harbours ${filler} lamp.`,
    ]);
    for (const rest of ["", " lamp"]) {
      const right = (await passages.search(`harbour${rest}`, KEYWORD)).map(({ text }) => text);
      expect(right).toHaveLength(4);
      expect((await passages.search(`harbuor${rest}`, KEYWORD)).map(({ text }) => text)).toEqual(right);
    }
  });

  it("takes nothing from the same word in the query", async () => {
    const passages = await namespaceOf(["Color and nothing else.", "Some other color.", "Nothing at all."]);
    const scores = async (query: string) =>
      (await passages.search(query, KEYWORD)).map(({ text, score }) => [text, score]);
    expect(await scores("color colour")).toEqual(await scores("colour color"));
  });

  it("finds a long word that differs by two", async () => {
    expect(await (await handle).search("informtoins", KEYWORD)).toHaveLength(0);
    expect(await (await handle).search("lechttum", KEYWORD)).toHaveLength(1);
    expect(await (await handle).search("nigt", KEYWORD)).toHaveLength(1);
    expect(await (await handle).search("ngt", KEYWORD)).toHaveLength(0);
    expect(await (await handle).search("nihgtt", KEYWORD)).toHaveLength(0);
  });

  it("counts half as much, is explained and marked", async () => {
    const options = { ...KEYWORD, explain: true, includeHighlights: true };
    const [right] = await (await handle).search("harbour lamp", options);
    const [hit] = await (await handle).search("harbuor lamp", options);
    expect(right!.score).toBeGreaterThan(0.5);
    expect(hit!.score).toBeLessThanOrEqual(0.5);
    expect(right!.explanation!.keyword).not.toHaveProperty("similarWords");
    expect(hit!.explanation!.keyword).toMatchObject({
      termsFound: ["lamp"],
      termsMissing: ["harbuor"],
      similarWords: [{ term: "harbuor", words: ["harbour", "harbours"] }],
    });
    expect(hit!.highlights).toEqual(right!.highlights);
  });

  it("finds nothing when that is not wanted, in a keyword filter, as a prefix, or with digits", async () => {
    const search = async (query: string, options: object = {}) =>
      (await handle).search(query, { ...KEYWORD, ...options });
    expect(await search("harbuor")).toHaveLength(1);
    expect(await search("harbuor", { typoTolerance: false })).toHaveLength(0);
    expect(await search("lamp", { keywordFilter: "harbuor" })).toHaveLength(0);
    expect(await search("harbuo*")).toHaveLength(0);
    expect(await search('"harbuor lamp"')).toHaveLength(0);
    expect(await search("harbour2")).toHaveLength(0);
  });
});

it("no longer stands for a similar word once a document has it, and does again without the document", async () => {
  const handle = await namespaceOf(["The harbour is dark."]);
  const found = async () => (await handle.search("harbor", KEYWORD)).map(({ text }) => text);
  expect(await found()).toEqual(["The harbour is dark."]);
  const added = await handle.ingest({ type: "TEXT", text: "A harbor is a harbour." }).done({ throwOnFailure: true });
  expect(await found()).toEqual(["A harbor is a harbour."]);
  const [document] = (await handle.documents.list({ ingestJobId: added.id })).items;
  await handle.documents.delete(document!.id);
  expect(await found()).toEqual(["The harbour is dark."]);
});

// Without vowels, no rule of a stemmer applies.
const word = fc.string({ unit: fc.constantFrom(..."bcdfg"), minLength: 3, maxLength: 9 });
const edit = fc.record({ at: fc.nat(9), kind: fc.nat(3), letter: fc.constantFrom(..."bcdfgk") });

function edited(text: string, { at: place, kind, letter }: { at: number; kind: number; letter: string }): string {
  const at = place % text.length;
  const [before, after] = [text.slice(0, at), text.slice(at)];
  if (kind === 0) return before + after.slice(1);
  if (kind === 1) return before + letter + after;
  if (kind === 2) return before + letter + after.slice(1);
  return before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2);
}

it("finds what an exhaustive comparison finds, and changes nothing for words that a passage has", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
      fc.array(fc.record({ from: fc.nat(), edits: fc.array(edit, { maxLength: 2 }) }), { minLength: 4, maxLength: 8 }),
      async (documents, typed) => {
        const handle = await namespaceOf(documents.map((words, index) => `${words.join(" ")} ${index}`));
        const vocabulary = [...new Set(documents.flat())];
        for (const { from, edits } of typed) {
          const query = edits.reduce(edited, vocabulary[from % vocabulary.length]!);
          if (query === "") continue;
          const expected = vocabulary.includes(query) ? [query] : nearest(query, vocabulary, documents);
          const hits = await handle.search(query, { ...KEYWORD, topK: 100 });
          const found = hits.map(({ text }) => Number(text.split(" ").at(-1))).sort((a, b) => a - b);
          const holding = documents.flatMap((words, index) =>
            words.some((each) => expected.includes(each)) ? [index] : [],
          );
          expect(found, query).toEqual(holding);
          const exact = await handle.search(query, { ...KEYWORD, topK: 100, typoTolerance: false });
          if (vocabulary.includes(query)) expect(hits).toEqual(exact);
          else expect(exact).toEqual([]);
        }
      },
    ),
    { numRuns: propertyRuns(15) },
  );
});

/** The three words in the most documents among those with one edit or, if there are none, with two after the first letter. */
function nearest(query: string, vocabulary: readonly string[], documents: readonly (readonly string[])[]): string[] {
  if (query.length < 4) return [];
  const countOf = (text: string) => documents.filter((words) => words.includes(text)).length;
  const near = vocabulary.filter((text) => distance(text, query) === 1);
  const far = vocabulary.filter((text) => text[0] === query[0] && distance(text, query) === 2);
  const found = near.length > 0 || query.length < 8 ? near : far;
  return found.sort((a, b) => countOf(b) - countOf(a) || (a < b ? -1 : 1)).slice(0, 3);
}
