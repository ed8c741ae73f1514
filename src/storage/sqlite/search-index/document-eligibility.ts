import { storedChunkId } from "../../../domain/ids.js";
import type { Status } from "../../../types.js";
import type { DocumentEligibility, EligibilityQuery } from "../../search-index.js";
import { filterToSql, visibilityToSql } from "../filter-sql.js";
import type { Statements } from "../statements.js";
import { findScope } from "./find-scope.js";
import { filterByTerms } from "./keyword-search.js";

/** Checks which chunks of a document meet the conditions of a search, with the same SQL as the search. */
export function documentEligibility(db: Statements, query: EligibilityQuery): DocumentEligibility {
  const scope = findScope(db, query.scope);
  const visible = visibilityToSql(query.scope);
  const document =
    scope &&
    db.get<{ seq: number; generation: number; status: Status }>(
      `SELECT d.seq, d.generation, d.status FROM documents d WHERE d.id = ? AND d.scope_id = ? AND ${visible.sql}`,
      ...[query.documentId, scope.id, ...visible.parameters],
    );
  if (!scope || !document) return { status: null, chunks: [] };
  const condition = query.filter
    ? filterToSql(query.filter, { scope: query.scope, scopeId: scope.id, chunkSeqColumn: "c.seq" })
    : { sql: "1", parameters: [] };
  const rows = db.all<{ seq: number; ordinal: number; matches: number | null }>(
    `SELECT c.seq, c.ordinal, ${condition.sql} AS matches FROM chunks c
     WHERE c.document_seq = ? AND c.generation = ? ORDER BY c.ordinal`,
    ...condition.parameters,
    document.seq,
    document.generation,
  );
  const chunkSeqs = rows.map(({ seq }) => seq);
  const { required: terms } = query;
  const eligible = terms === null ? new Set(chunkSeqs) : filterByTerms(db, { scope: query.scope, terms, chunkSeqs });
  const chunks = rows.map(({ seq, ordinal, matches }) => ({
    id: storedChunkId(query.documentId, document.generation, ordinal),
    chunkSeq: seq,
    ordinal,
    meetsFilter: matches === 1,
    hasRequired: eligible.has(seq),
  }));
  return { status: document.status, chunks };
}
