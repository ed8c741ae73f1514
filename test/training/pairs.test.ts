import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { readCollection } from "#dist/evaluate/read-collection.js";
import { FUNCTION_WORDS } from "#dist/text-analysis/function-words.js";

const pairs = await readCollection(fileURLToPath(new URL("../../training/pairs", import.meta.url)));
const textOf = new Map(pairs.documents.map(({ id, text }) => [id, text]));
const answers = new Map(pairs.queries.map(({ id }) => [id, [...pairs.judgements.get(id)!.keys()]]));

/** What an apostrophe leaves of "can't", "won't" and "body's". */
const REMNANTS = ["s", "t", "won"];

function contentOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !FUNCTION_WORDS.get("en")!.has(word) && !REMNANTS.includes(word));
}

/** Stems of the stemmer that keyword search uses. */
function stemsOf(words: readonly string[]): Set<string> {
  const database = new Database(":memory:");
  try {
    database.exec(`
      CREATE VIRTUAL TABLE words USING fts5(word, tokenize = 'porter unicode61');
      CREATE VIRTUAL TABLE stems USING fts5vocab(words, row);
    `);
    const insert = database.prepare("INSERT INTO words VALUES (?)");
    for (const word of words) insert.run(word);
    return new Set(database.prepare<[], string>("SELECT term FROM stems").pluck().all());
  } finally {
    database.close();
  }
}

/** Catches what a stemmer doesn't: "sick" and "sickness", "inherit" and "inheritance". */
function beginsLike(word: string, other: string): boolean {
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  return short.length >= 4 && long.startsWith(short);
}

test("fifty questions have one answer each, among two hundred other passages of like length", () => {
  expect(pairs.documents).toHaveLength(250);
  expect(new Set(textOf.values()).size).toBe(250);
  expect([...answers.values()].map((ids) => ids.length)).toEqual(Array(50).fill(1));
  const found = new Set([...answers.values()].flat());
  expect(found.size).toBe(50);
  const lengths = pairs.documents.map(({ id, text }) => ({ isAnswer: found.has(id), words: text.split(" ").length }));
  for (const { words } of lengths) expect(words).toBeGreaterThan(10);
  for (const { words } of lengths) expect(words).toBeLessThan(40);
});

test("a question shares no content word with its answer, in whatever form", () => {
  const shared = pairs.queries.flatMap(({ id, text }) => {
    const asked = contentOf(text);
    const answered = contentOf(textOf.get(answers.get(id)![0]!)!);
    const stems = stemsOf(answered);
    const common = [...stemsOf(asked)].filter((stem) => stems.has(stem));
    const alike = asked.filter((word) => answered.some((other) => beginsLike(word, other)));
    return [...common, ...alike].map((word) => `${id}: ${word}`);
  });
  expect(shared).toEqual([]);
});
