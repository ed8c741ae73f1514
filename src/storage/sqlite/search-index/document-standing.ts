import { storedChunkId } from "../../../domain/ids.js";
import type { Status } from "../../../types.js";
import type { AskStanding, DocumentStanding } from "../../search-index.js";
import { filterToSql } from "../filter-sql.js";
import type { Statements } from "../statements.js";
import { findScope } from "./find-scope.js";
import { chunksContaining } from "./keyword-search.js";

/** Whether the chunks of one document meet the conditions of a search, by the same SQL as the search. */
export function documentStanding(db: Statements, question: AskStanding): DocumentStanding {
  const scope = findScope(db, question.scope);
  const document =
    scope &&
    db.get<{ seq: number; generation: number; status: Status }>(
      "SELECT seq, generation, status FROM documents WHERE id = ? AND scope_id = ?",
      question.documentId,
      scope.id,
    );
  if (!scope || !document) return { status: null, chunks: [] };
  const condition = question.filter
    ? filterToSql(question.filter, { scope: question.scope, scopeId: scope.id, chunkSeq: "c.seq" })
    : { sql: "1", parameters: [] };
  const rows = db.all<{ seq: number; ordinal: number; meets: number | null }>(
    `SELECT c.seq, c.ordinal, ${condition.sql} AS meets FROM chunks c
     WHERE c.document_seq = ? AND c.generation = ? ORDER BY c.ordinal`,
    ...condition.parameters,
    document.seq,
    document.generation,
  );
  const chunkSeqs = rows.map(({ seq }) => seq);
  const { required: terms } = question;
  const having =
    terms === null ? new Set(chunkSeqs) : chunksContaining(db, { scope: question.scope, terms, chunkSeqs });
  const chunks = rows.map(({ seq, ordinal, meets }) => ({
    id: storedChunkId(question.documentId, document.generation, ordinal),
    chunkSeq: seq,
    ordinal,
    meetsFilter: meets === 1,
    hasRequired: having.has(seq),
  }));
  return { status: document.status, chunks };
}
