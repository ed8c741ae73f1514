import { stemmingFor } from "../../../text-analysis/language.js";
import { type Stemming, UNSTEMMED } from "../../../text-analysis/stemming.js";
import { KEYWORD_TEXT_SQL, keywordTableName, removeFromKeywordTable } from "../keywords/keyword-table.js";
import type { Statements } from "../statements.js";

/** The number of chunks that a step changes, which takes the writer a tenth of a second. */
const CHUNKS_PER_STEP = 200;
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
    remaining -= changed;
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
  for (const { seq } of chunks) {
    if (hasTable) removeFromKeywordTable(db, scopeId, seq);
    db.run("UPDATE chunks SET stemming = ? WHERE seq = ?", stemming, seq);
    if (hasTable) {
      db.run(
        `INSERT INTO ${keywordTableName("main", scopeId)} (rowid, text) SELECT seq, ${KEYWORD_TEXT_SQL} FROM chunks WHERE seq = ?`,
        seq,
      );
    }
  }
  return chunks.length;
}

function recognizeStemming(db: Statements, documentSeq: number): Stemming {
  const texts = db.column<string>(
    "SELECT text FROM chunks WHERE document_seq = ? ORDER BY generation DESC, ordinal LIMIT ?",
    documentSeq,
    SAMPLE_CHUNKS,
  );
  return stemmingFor(texts.join("\n"));
}
