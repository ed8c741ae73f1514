import type { Statements } from "../statements.js";
import { KEYWORD_TOKENIZER } from "./keyword-table.js";

/** Characters of words whose tokens are remembered: some 20,000 words. */
const REMEMBERED = 200_000;

/** Shows what the keyword tables' tokenizer makes of a word, by having it do so: FTS5 offers no other way to ask. */
export class Tokenizer {
  readonly #db: Statements;
  readonly #known = new Map<string, readonly string[]>();
  /** Of what is known. */
  #characters = 0;

  constructor(db: Statements) {
    this.#db = db;
    db.exec(
      `CREATE VIRTUAL TABLE temp.tokenized USING fts5(text, content = '', tokenize = '${KEYWORD_TOKENIZER}');
       CREATE VIRTUAL TABLE temp.tokens USING fts5vocab(temp, tokenized, instance)`,
    );
  }

  /** The tokens of each text, in order. */
  tokens(texts: readonly string[]): readonly (readonly string[])[] {
    const distinct = [...new Set(texts)];
    const unknown = distinct.filter((text) => !this.#known.has(text));
    if (this.#characters + length(unknown) <= REMEMBERED) this.#learn(unknown);
    else {
      this.#known.clear();
      this.#characters = 0;
      this.#learn(distinct);
    }
    return texts.map((text) => this.#known.get(text)!);
  }

  #learn(texts: readonly string[]): void {
    if (texts.length === 0) return;
    this.#characters += length(texts);
    const db = this.#db;
    for (const [index, text] of texts.entries())
      db.run("INSERT INTO temp.tokenized (rowid, text) VALUES (?, ?)", index, text);
    const found: string[][] = texts.map(() => []);
    for (const { doc, offset, term } of db.all<{ doc: number; offset: number; term: string }>(
      "SELECT doc, offset, term FROM temp.tokens",
    ))
      found[doc]![offset] = term;
    db.run("INSERT INTO temp.tokenized (tokenized) VALUES ('delete-all')");
    for (const [index, text] of texts.entries()) this.#known.set(text, found[index]!);
  }
}

function length(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
