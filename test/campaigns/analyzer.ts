import { existsSync, readdirSync, readFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { termsOf } from "#dist/text-analysis/analyze.js";
import { KEYWORD_TOKENIZER } from "../../src/storage/sqlite/keywords/keyword-table.js";

// Compares the analyzer with SQLite's tokenizer: every character in places where folding and stemming treat it differently, and the
// whole retrieval collections. Takes some three minutes; the suite compares a part of this. `npm run campaign:analyzer`

const COLLECTIONS = new URL("../../../shared/corpora/retrieval/", import.meta.url);
/** "#" is replaced by each character. */
const PLACES = ["#", "a#", "#a", "xa#ing", "xa#ed", "a#s", "#ational", "ba#ll", "e#y", "b\u0301#", "\u0301#b"];
const CHARACTERS_AT_ONCE = 8192;
const TEXTS_AT_ONCE = 50;

const db = new Sqlite(":memory:");
db.exec(`CREATE VIRTUAL TABLE texts USING fts5(text, content = '', tokenize = '${KEYWORD_TOKENIZER}')`);
db.exec("CREATE VIRTUAL TABLE words USING fts5vocab(texts, instance)");
const insert = db.prepare("INSERT INTO texts (rowid, text) VALUES (1, ?)");
const words = db.prepare<[], [number, string | null]>("SELECT offset, term FROM words").raw();
let compared = 0;
let differences = 0;

function compare(name: string, text: string): void {
  const expected: string[] = [];
  insert.run(text);
  for (const [offset, term] of words.iterate()) expected[offset] = term ?? "";
  db.exec("INSERT INTO texts (texts) VALUES ('delete-all')");
  const terms = termsOf(text);
  compared += expected.length;
  const length = Math.max(terms.length, expected.length);
  const at = Array.from({ length }, (_, index) => index).find((index) => terms[index] !== expected[index]);
  if (at === undefined) return;
  differences++;
  console.error(`${name}: term ${at} is ${JSON.stringify(terms[at])}, in SQLite ${JSON.stringify(expected[at])}`);
}

for (const place of PLACES) {
  for (let first = 0; first <= 0x10ffff; first += CHARACTERS_AT_ONCE) {
    const codes = Array.from({ length: CHARACTERS_AT_ONCE }, (_, index) => first + index);
    const characters = codes.filter((code) => code >>> 11 !== 0x1b).map((code) => String.fromCodePoint(code));
    compare(place, characters.map((character) => place.replace("#", () => character)).join(" "));
  }
}
if (!existsSync(COLLECTIONS)) console.log("The retrieval collections are missing: only characters were compared.");
for (const name of existsSync(COLLECTIONS) ? readdirSync(COLLECTIONS) : []) {
  const file = new URL(`${name}/corpus.jsonl`, COLLECTIONS);
  if (!existsSync(file)) continue;
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const texts = lines.map((line) => (JSON.parse(line) as { text: string }).text);
  for (let at = 0; at < texts.length; at += TEXTS_AT_ONCE)
    compare(name, texts.slice(at, at + TEXTS_AT_ONCE).join("\n"));
}
db.close();
console.log(`${compared} terms compared, ${differences} texts differ`);
if (differences > 0) process.exitCode = 1;
