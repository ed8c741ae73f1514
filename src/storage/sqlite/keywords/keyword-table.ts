import type { Statements } from "../statements.js";

/**
 * A scope with more chunks than this has its own keyword table in the file. A reader indexes a smaller one in memory
 * when it is searched, with the same analyzer and the same formula.
 *
 * The reason is that SQLite compares every virtual table with every table when it opens a file, so 10,000 FTS5 tables
 * (five entries in the schema each) take half a minute to open. Indexing 1,000 chunks takes some 10 ms.
 */
export const KEYWORD_TABLE_THRESHOLD = 1000;

/**
 * Porter stemming over Unicode words, accents removed (sqlite.org/fts5.html#tokenizers). Marks are part of words: by
 * default FTS5 would split words at the vowel signs of Devanagari and other scripts.
 *
 * FTS5 tokenizes the indexed text; queries and highlights use `text-analysis/analyze.ts`, and tests check that both
 * agree. Stored indexes name this tokenizer in their schema, so passing analyzed terms to FTS5 instead would require
 * every database to be indexed again.
 */
export const KEYWORD_TOKENIZER = "porter unicode61 remove_diacritics 2 categories ''L* M* N* Co''";

/** SQL for the indexed text of a row of `chunks`; `keyword_text` is `keywordText` in text-analysis/keyword-text.ts. */
export const KEYWORD_TEXT = "keyword_text(coalesce(index_text, text), stemmed)";

export function keywordTable(schema: "main" | "temp", scopeId: number): string {
  return `${schema}.keywords_${scopeId}`;
}

/**
 * Creates a contentless table, since the text is already in `chunks`. It lacks `contentless_delete`, which would never
 * subtract deleted rows from the totals for BM25; {@link removeFromKeywordTable} does.
 */
export function createKeywordTable(db: Statements, schema: "main" | "temp", scopeId: number): void {
  db.exec(
    `CREATE VIRTUAL TABLE ${keywordTable(schema, scopeId)} USING fts5(text, content = '', tokenize = '${KEYWORD_TOKENIZER}')`,
  );
}

/** Removes a chunk's words; the chunk must still exist (sqlite.org/fts5.html#the_delete_command). */
export function removeFromKeywordTable(db: Statements, scopeId: number, chunkSeq: number): void {
  db.run(
    `INSERT INTO ${keywordTable("main", scopeId)} (keywords_${scopeId}, rowid, text)
     SELECT 'delete', seq, ${KEYWORD_TEXT} FROM chunks WHERE seq = ?`,
    chunkSeq,
  );
}

export function dropKeywordTable(db: Statements, schema: "main" | "temp", scopeId: number): void {
  db.exec(`DROP TABLE IF EXISTS ${keywordTable(schema, scopeId)}`);
}
