import { stemmingFor } from "../../../text-analysis/language.js";
import { type Stemming, UNSTEMMED } from "../../../text-analysis/stemming.js";
import { addToKeywordTable, type KeywordTable, removeFromKeywordTable } from "../keywords/keyword-table.js";
import type { Statements } from "../statements.js";
import { rebuiltUpTo } from "./keyword-rebuild.js";

/** The number of chunks that a step reads or changes, at most, which takes the writer a tenth of a second. */
const CHUNKS_PER_STEP = 200;
/** Counts for a document of which nothing changes, but whose chunks are read. */
const CHUNKS_PER_DOCUMENT = 10;
/** The number of chunks whose text is enough to recognise a language. */
const SAMPLE_CHUNKS = 4;

/**
 * Stems words of documents that were stored before their language could be stemmed, in the order in which they were
 * stored. A document is taken from the list in the transaction that stems its last words. Returns false if none are left.
 */
export function reanalyzeDocuments(db: Statements): boolean {
  for (let remaining = CHUNKS_PER_STEP; remaining > 0; ) {
    const [documentSeq] = db.column<number>("SELECT min(document_seq) FROM documents_to_analyze");
    if (documentSeq == null) return false;
    const changed = stemChunks(db, documentSeq, remaining);
    // A document with more chunks stays on the list.
    if (changed < remaining) db.run("DELETE FROM documents_to_analyze WHERE document_seq = ?", documentSeq);
    remaining -= Math.max(changed, CHUNKS_PER_DOCUMENT);
  }
  return true;
}

/** Stems up to `limit` unstemmed chunks of a document, if its language can be stemmed. Returns their number. */
function stemChunks(db: Statements, documentSeq: number, limit: number): number {
  const chunks = db.all<{ seq: number; scope_id: number }>(
    "SELECT seq, scope_id FROM chunks WHERE document_seq = ? AND stemming = 0 LIMIT ?",
    documentSeq,
    limit,
  );
  if (chunks.length === 0) return 0;
  const stemming = recognizeStemming(db, documentSeq);
  if (stemming === UNSTEMMED) return 0;
  const scopeId = chunks[0]!.scope_id;
  const [hasTable] = db.column<number>(
    "UPDATE scopes SET keyword_version = keyword_version + 1 WHERE id = ? RETURNING keyword_table",
    scopeId,
  );
  const rebuilt = rebuiltUpTo(db, scopeId) ?? 0;
  for (const { seq } of chunks) {
    const tables: KeywordTable[] = [
      ...(hasTable ? ["main" as const] : []),
      ...(seq <= rebuilt ? ["replacement" as const] : []),
    ];
    for (const table of tables) removeFromKeywordTable(db, table, scopeId, seq);
    db.run("UPDATE chunks SET stemming = ? WHERE seq = ?", stemming, seq);
    for (const table of tables) addToKeywordTable(db, table, scopeId, seq);
  }
  return chunks.length;
}

function recognizeStemming(db: Statements, documentSeq: number): Stemming {
  const texts = db.column<string>(
    "SELECT text FROM chunks WHERE document_seq = ? ORDER BY generation DESC, ordinal LIMIT ?",
    documentSeq,
    SAMPLE_CHUNKS,
  );
  const [languageCode] = db.column<string | null>(
    "SELECT json_extract(config, '$.languageCode') FROM documents WHERE seq = ?",
    documentSeq,
  );
  return stemmingFor(texts.join("\n"), languageCode ?? undefined);
}
