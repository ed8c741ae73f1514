import type { Statements } from "../statements.js";

/**
 * A scope with more chunks than this has its own keyword table in the file. A reader indexes a smaller scope in memory
 * when the scope is searched, with the same analyzer and the same formula.
 *
 * Small scopes have no table because SQLite compares every virtual table with every table when it opens a file: a file
 * with 10,000 FTS5 tables (five entries in the schema each) takes half a minute to open. Indexing 1,000 chunks takes
 * about 10 ms.
 */
export const KEYWORD_TABLE_THRESHOLD = 1000;

/**
 * FTS5's tokenizer: Porter stemming of Unicode words without accents (sqlite.org/fts5.html#tokenizers). Marks are part
 * of words: by default, FTS5 would split words at the vowel signs of Devanagari and other scripts.
 *
 * FTS5 tokenizes the indexed text, while queries and highlights use `text-analysis/analyze.ts`; tests check that they
 * agree. Stored indexes name this tokenizer in their schema. If analyzed terms were passed to FTS5 instead, every
 * database would have to be indexed again.
 */
export const KEYWORD_TOKENIZER = "porter unicode61 remove_diacritics 2 categories ''L* M* N* Co''";

/** SQL for the indexed text of a row of `chunks`. The function `keyword_text` calls text-analysis/keyword-text.ts. */
export const KEYWORD_TEXT_SQL = "keyword_text(coalesce(index_text, text), stemming)";

/** A scope's keyword table in the file, the one that is to replace it, or a reader's own. */
export type KeywordTable = "main" | "replacement" | "temp";

/** Returns the qualified name of a scope's keyword table. */
export function keywordTableName(table: KeywordTable, scopeId: number): string {
  return `${table === "temp" ? "temp" : "main"}.${unqualifiedName(table, scopeId)}`;
}

function unqualifiedName(table: KeywordTable, scopeId: number): string {
  return table === "replacement" ? `new_keywords_${scopeId}` : `keywords_${scopeId}`;
}

/**
 * Creates a contentless table, since the text is already in `chunks`. Doesn't use the option `contentless_delete`, with
 * which the totals for BM25 would keep counting deleted rows; {@link removeFromKeywordTable} subtracts them.
 */
export function createKeywordTable(db: Statements, table: KeywordTable, scopeId: number): void {
  const name = keywordTableName(table, scopeId);
  db.exec(`CREATE VIRTUAL TABLE ${name} USING fts5(text, content = '', tokenize = '${KEYWORD_TOKENIZER}')`);
}

/** Adds the words of a chunk. */
export function addToKeywordTable(db: Statements, table: KeywordTable, scopeId: number, chunkSeq: number): void {
  db.run(
    `INSERT INTO ${keywordTableName(table, scopeId)} (rowid, text) SELECT seq, ${KEYWORD_TEXT_SQL} FROM chunks WHERE seq = ?`,
    chunkSeq,
  );
}

/** Removes a chunk's words. The chunk must still exist (sqlite.org/fts5.html#the_delete_command). */
export function removeFromKeywordTable(db: Statements, table: KeywordTable, scopeId: number, chunkSeq: number): void {
  db.run(
    `INSERT INTO ${keywordTableName(table, scopeId)} (${unqualifiedName(table, scopeId)}, rowid, text)
     SELECT 'delete', seq, ${KEYWORD_TEXT_SQL} FROM chunks WHERE seq = ?`,
    chunkSeq,
  );
}

export function dropKeywordTable(db: Statements, table: KeywordTable, scopeId: number): void {
  db.exec(`DROP TABLE IF EXISTS ${keywordTableName(table, scopeId)}`);
}

/** Puts the replacement of a scope's keyword table in its place. */
export function replaceKeywordTable(db: Statements, scopeId: number): void {
  dropKeywordTable(db, "main", scopeId);
  db.exec(`ALTER TABLE ${keywordTableName("replacement", scopeId)} RENAME TO ${unqualifiedName("main", scopeId)}`);
}
