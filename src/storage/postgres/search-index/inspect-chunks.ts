import { storedChunkId } from "../../../domain/ids.js";
import { Highlighter } from "../../../text-analysis/highlight.js";
import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import type { Stemming } from "../../../text-analysis/stemming.js";
import type { Scope, Status, TextRange } from "../../../types.js";
import type { DocumentEligibility, EligibilityQuery, FilterKeys, SearchScope } from "../../search-index.js";
import { KEPT_VECTOR_SET, vectorSetGoneError } from "../../vector-sets.js";
import { filterToSql, visibilityToSql } from "./filter-sql.js";
import { filterByTerms } from "./keyword-search.js";
import { indexedBytes } from "./metadata-encoding.js";
import { findChunks } from "./passages.js";
import type { ScopeCaches } from "./scope-caches.js";
import { findScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";

/** The maximum number of metadata keys to return. */
const MAX_KEYS = 1000;

/**
 * Returns which of the given ids belong to published chunks with the required terms, in the given order. `missing`
 * counts the ids of chunks that are not published.
 */
export async function liveChunks(
  db: Snapshot,
  caches: ScopeCaches,
  query: {
    readonly scope: SearchScope;
    readonly ids: readonly string[];
    readonly required: readonly KeywordTerm[] | null;
    readonly vectorSet?: number | undefined;
  },
): Promise<{ readonly ids: readonly string[]; readonly missing: number }> {
  const { vectorSet = 0 } = query;
  const scope = await findScope(db, query.scope);
  if (scope && scope.vectorSet !== vectorSet) {
    const kept = await db.rows(KEPT_VECTOR_SET, query.scope.namespaceId, vectorSet);
    if (kept.length === 0) throw vectorSetGoneError();
  }
  const columns = `c.seq, d.id || '.' || c.generation || '.' || c.ordinal AS id`;
  const live = await findChunks<{ seq: number; id: string }>(db, query.scope, query.ids, columns);
  const missing = query.ids.length - live.length;
  if (query.required === null) return { ids: live.map(({ id }) => id), missing };
  const chunkSeqs = live.map(({ seq }) => seq);
  const containing = await filterByTerms(db, caches, { scope: query.scope, terms: query.required, chunkSeqs });
  return { ids: live.filter(({ seq }) => containing.has(seq)).map(({ id }) => id), missing };
}

/** Returns the ranges of the given terms in the text of each given chunk; none for a chunk that was removed. */
export async function highlights(
  db: Snapshot,
  { analyzer }: ScopeCaches,
  { chunkSeqs, terms }: { readonly chunkSeqs: readonly number[]; readonly terms: readonly KeywordTerm[] },
): Promise<readonly (readonly TextRange[])[]> {
  const rows = await db.rows<{ seq: number; text: string; stemming: Stemming }>(
    "SELECT seq, text, stemming FROM chunks WHERE seq = ANY(?::bigint[])",
    chunkSeqs,
  );
  const chunks = new Map(rows.map((row) => [row.seq, row]));
  const highlighter = new Highlighter(analyzer, terms);
  return chunkSeqs.map((seq) => {
    const chunk = chunks.get(seq);
    return chunk ? highlighter.highlight(chunk.text, chunk.stemming) : [];
  });
}

/** Checks which chunks of a document meet the conditions of a search, with the same SQL as the search. */
export async function documentEligibility(
  db: Snapshot,
  caches: ScopeCaches,
  query: EligibilityQuery,
): Promise<DocumentEligibility> {
  const scope = await findScope(db, query.scope);
  const visible = visibilityToSql(query.scope);
  const [document] = scope
    ? await db.rows<{ seq: number; generation: number; status: Status }>(
        `SELECT d.seq, d.generation, d.status FROM documents d WHERE d.id = ? AND d.scope_id = ? AND ${visible.sql}`,
        ...[query.documentId, scope.id, ...visible.parameters],
      )
    : [];
  if (!scope || !document) return { status: null, chunks: [] };
  const condition = query.filter
    ? filterToSql(query.filter, { scope: query.scope, scopeId: scope.id, chunkSeqColumn: "c.seq" })
    : { sql: "true", parameters: [] };
  const rows = await db.rows<{ seq: number; ordinal: number; matches: boolean | null }>(
    `SELECT c.seq, c.ordinal, ${condition.sql} AS matches FROM chunks c
     WHERE c.document_seq = ? AND c.generation = ? ORDER BY c.ordinal`,
    ...condition.parameters,
    document.seq,
    document.generation,
  );
  const chunkSeqs = rows.map(({ seq }) => seq);
  const { required: terms } = query;
  const eligible =
    terms === null ? new Set(chunkSeqs) : await filterByTerms(db, caches, { scope: query.scope, terms, chunkSeqs });
  const chunks = rows.map(({ seq, ordinal, matches }) => ({
    id: storedChunkId(query.documentId, document.generation, ordinal),
    chunkSeq: seq,
    ordinal,
    meetsFilter: matches === true,
    hasRequired: eligible.has(seq),
  }));
  return { status: document.status, chunks };
}

/** Returns which of the given metadata keys a scope lacks and, if it lacks any, which keys it has. */
export async function filterKeys(
  db: Snapshot,
  { scope, keys }: { readonly scope: Scope; readonly keys: readonly string[] },
): Promise<FilterKeys> {
  const searched = await findScope(db, scope);
  if (!searched) return { missing: [], present: [] };
  const missing: string[] = [];
  for (const key of keys) {
    const { start, rest } = indexedBytes(key);
    const found = await db.rows(
      `SELECT 1 AS found FROM chunk_metadata
       WHERE scope_id = ? AND key = ?::bytea AND key_rest IS NOT DISTINCT FROM ?::bytea LIMIT 1`,
      ...[searched.id, start, rest],
    );
    if (found.length === 0) missing.push(key);
  }
  if (missing.length === 0) return { missing, present: [] };
  // Skips from each key to the next in the index, since there are many chunks but few keys. Keys with the same start are
  // rare, and are listed by their rows.
  const present = await db.rows<{ key: Uint8Array }>(
    `WITH RECURSIVE starts (key, place) AS (
       (SELECT m.key, 1 FROM chunk_metadata m WHERE m.scope_id = ? ORDER BY m.key LIMIT 1)
       UNION ALL
       SELECT n.key, place + 1 FROM starts CROSS JOIN LATERAL (
         SELECT m.key FROM chunk_metadata m WHERE m.scope_id = ? AND m.key > starts.key ORDER BY m.key LIMIT 1) n
       WHERE place < ${MAX_KEYS})
     SELECT k.key FROM starts s CROSS JOIN LATERAL (
       SELECT s.key WHERE length(s.key) < 1000
       UNION SELECT m.key || coalesce(m.key_rest, '') FROM chunk_metadata m
       WHERE length(s.key) >= 1000 AND m.scope_id = ? AND m.key = s.key) k
     ORDER BY k.key LIMIT ${MAX_KEYS}`,
    ...[searched.id, searched.id, searched.id],
  );
  return { missing, present: present.map(({ key }) => Buffer.from(key).toString("utf8")) };
}
