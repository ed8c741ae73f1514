import { existsSync, readdirSync, readFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { termsOf } from "#dist/text-analysis/analyze.js";
import { KEYWORD_TOKENIZER } from "../../src/storage/sqlite/keywords/keyword-table.js";
import { propertyRuns } from "../support/property-runs.js";

const COLLECTIONS = new URL("../../../shared/corpora/retrieval/", import.meta.url);

const db = new Sqlite(":memory:");
db.exec(`CREATE VIRTUAL TABLE texts USING fts5(text, content = '', tokenize = '${KEYWORD_TOKENIZER}')`);
db.exec("CREATE VIRTUAL TABLE words USING fts5vocab(texts, instance)");
const insert = db.prepare("INSERT INTO texts (rowid, text) VALUES (?, ?)");
const words = db.prepare<[], [number, number, string | null]>("SELECT doc, offset, term FROM words").raw();
afterAll(() => void db.close());

/** The terms that SQLite's own tokenizer finds in each text. */
function termsOfSqlite(texts: readonly string[]): string[][] {
  const terms: string[][] = texts.map(() => []);
  for (const [index, text] of texts.entries()) insert.run(index, text);
  // A word of nothing but diacritics is an empty term, which SQLite shows as null.
  for (const [doc, offset, term] of words.iterate()) terms[doc]![offset] = term ?? "";
  db.exec("INSERT INTO texts (texts) VALUES ('delete-all')");
  return terms;
}

const endings =
  `s es ies sses ed eed ing at bl iz y e ll ational tional enci anci izer logi bli alli entli eli ousli ization ation ator
  alism iveness fulness ousness aliti iviti biliti ical ness icate iciti ful ative alize al ance ence er ic able ible ant ement ment
  ent ion ou ism ate iti ous ive ize é ß ñs`.split(/\s+/);
const word = fc
  .tuple(fc.stringMatching(/^[a-z]{0,8}$/), fc.constantFrom(...endings), fc.constantFrom("", ...endings))
  .map((parts) => parts.join(""));

describe("the terms of a text are those of SQLite's tokenizer", () => {
  // npm run campaign:analyzer compares all characters.
  it("for every character of the first plane, within a word", () => {
    const size = 8192;
    for (let first = 0; first <= 0xffff; first += size) {
      const codes = Array.from({ length: size }, (_, index) => first + index).filter((code) => code >>> 11 !== 0x1b);
      const text = codes.map((code) => `aa${String.fromCodePoint(code)}bb`).join(" ");
      const [expected] = termsOfSqlite([text]);
      expect(termsOf(text).join("\n")).toBe(expected!.join("\n"));
    }
  });

  it("for any string", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 40 }), { maxLength: 20 }), (texts) => {
        expect(texts.map(termsOf)).toEqual(termsOfSqlite(texts));
      }),
      { numRuns: propertyRuns(80) },
    );
  });

  it("for words with the endings that stemming knows", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 100, maxLength: 200 }), (list) => {
        const text = list.join(" ");
        expect(termsOf(text)).toEqual(termsOfSqlite([text])[0]);
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it("for words that are too long to be stemmed, or to be kept whole", () => {
    const texts = [
      "running".repeat(12),
      "é".repeat(20_000),
      `x${"é".repeat(20_000)}`,
      "\u{1d400}".repeat(10_000),
      "\ud800a\udc00",
    ];
    expect(texts.map(termsOf)).toEqual(termsOfSqlite(texts));
  });

  it("for words that stemming cuts inside a character", () => {
    // The last two bytes of these characters are equal, which makes Porter's rules take one of them for a doubled consonant.
    const texts = ["xa\u0924ing", "xa\u0924ed", "xa\u{20820}ing", "xa\u3082ing"];
    expect(texts.map(termsOf)).toEqual(termsOfSqlite(texts));
  });

  const names = existsSync(COLLECTIONS) ? readdirSync(COLLECTIONS) : [];
  const files = names.map((name) => new URL(`${name}/corpus.jsonl`, COLLECTIONS)).filter((file) => existsSync(file));
  it.skipIf(files.length === 0)("for the texts of the retrieval collections (skipped without ../shared)", () => {
    for (const file of files) {
      const lines = readFileSync(file, "utf8").trim().split("\n");
      // Of each collection a tenth: all of them take half a minute.
      const texts = lines
        .filter((_, index) => index % 10 === 0)
        .map((line) => (JSON.parse(line) as { text: string }).text);
      expect(texts.map(termsOf)).toEqual(termsOfSqlite(texts));
    }
  });
});
