import type { Statements } from "../statements.js";

/**
 * A scope with more chunks than this has a keyword table of its own in the file; a smaller one is indexed by the reader
 * when it is searched, in memory, by the same analyzer and the same formula.
 *
 * The reason is SQLite's: on opening a file it compares every virtual table with every table, so 10,000 FTS5 tables
 * (five entries in the schema each) take half a minute to open. Indexing 1,000 chunks takes some 10 ms.
 */
export const KEYWORD_TABLE_THRESHOLD = 1000;

/**
 * Porter stemming over Unicode words, accents folded (sqlite.org/fts5.html#tokenizers). Marks are part of words: by
 * default FTS5 would split words at the vowel signs of Devanagari and other scripts.
 *
 * FTS5 analyzes what is written here; queries and highlights use `text-analysis/analyze.ts`, which tests hold equal to
 * it. Stored indexes name this tokenizer in their schema, so giving FTS5 analyzed terms instead would mean indexing
 * every database again.
 */
export const KEYWORD_TOKENIZER = "porter unicode61 remove_diacritics 2 categories ''L* M* N* Co''";

/** The indexed text of a row of `chunks`: `keyword_text` is `keywordText` (text-analysis/keyword-text.ts). */
export const KEYWORD_TEXT = "keyword_text(coalesce(index_text, text), stemmed)";

export function keywordTable(schema: "main" | "temp", scopeId: number): string {
  return `${schema}.keywords_${scopeId}`;
}

/**
 * Contentless: the text is in `chunks` already. Without `contentless_delete`, which never takes a deleted row out of
 * the totals that BM25 is computed from: {@link removeFromKeywordTable} does.
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
