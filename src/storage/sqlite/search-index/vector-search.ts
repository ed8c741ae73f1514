import { bytesToVector } from "../../../util/float32-bytes.js";
import type { Candidate } from "../../../vector-scan/nearest-bounds.js";
import { encodeQuery } from "../../../vector-scan/query.js";
import type { NearestVector, VectorRanking, VectorSearch } from "../../search-index.js";
import type { SqlFragment } from "../../tx.js";
import { KEPT_VECTOR_SET, vectorSetGoneError, vectorTable } from "../../vector-sets.js";
import { filterToSql } from "../filter-sql.js";
import type { Statements } from "../statements.js";
import { filteredChunks, visibleChunks } from "./filtered-chunks.js";
import { findScope, type SearchedScope } from "./find-scope.js";
import { chunksWithTerms } from "./keyword-search.js";
import { publishedIds, publishedPassages } from "./passages.js";
import { deriveWhenIdle, dropScopeIndex, loadScopeIndex, type ScanLimits } from "./scope-indexes.js";

export interface VectorSearchArgument extends Omit<VectorSearch, "vector"> {
  /** A vector of length 1, or a zero vector, as bytes. */
  readonly vector: Uint8Array;
  readonly limits: ScanLimits;
}

interface Match {
  readonly chunkSeq: number;
  readonly distance: number;
}

/** If more than this share of the records lacks sign bits, an exact scan is faster than deriving the sign bits. */
const MAX_UNDERIVED_SHARE = 0.125;
/** If the candidates are more than this share of the index, comparing all vectors in order is faster. */
const MAX_CANDIDATE_SHARE = 0.25;

/** Finds a scope's published chunks nearest to a vector, by the distance in SQL, then in the order of insertion. */
export function vectorSearch(db: Statements, search: VectorSearchArgument): VectorRanking {
  const scope = findScope(db, search.scope);
  if (!scope) return { matches: [], passages: null };
  const { vectorSet = 0 } = search;
  const isActive = vectorSet === scope.vector_set;
  if (!isActive && !db.get(KEPT_VECTOR_SET, search.scope.namespaceId, vectorSet)) throw vectorSetGoneError();
  const visible = visibleChunks(db, scope, search.scope);
  const containing = intersection(visible, search.required ? chunksWithTerms(db, scope, search.required) : null);
  // The other set has no index: it is only searched for comparisons, and by searches that began before it was replaced.
  const found = isActive ? searchByScan(db, search, scope, containing) : null;
  return found ?? { matches: searchBySql(db, search, scope.id, containing), passages: null };
}

// The distance to a zero vector is undefined. It counts as 1, the distance of orthogonal vectors.
const DISTANCE = "coalesce(vec_distance_cosine(v.vector, ?), 1.0)";
const byDistance = (a: Match, b: Match) => a.distance - b.distance || a.chunkSeq - b.chunkSeq;

function searchBySql(
  db: Statements,
  { scope, vector, limit, filter, vectorSet = 0 }: VectorSearchArgument,
  scopeId: number,
  containing: Float64Array | null,
): readonly NearestVector[] {
  const condition = filter && filterToSql(filter, { scope, scopeId, chunkSeqColumn: "v.chunk_seq" });
  const membership = containing && {
    sql: "v.chunk_seq IN (SELECT value FROM json_each(?))",
    parameters: [JSON.stringify([...containing])],
  };
  return db.all<NearestVector>(
    `SELECT d.id || '.' || n.generation || '.' || c.ordinal AS id, max(-1, min(1, 1 - n.distance)) AS similarity FROM (
       SELECT v.chunk_seq, v.document_seq, v.generation, ${DISTANCE} AS distance
       FROM ${vectorTable(vectorSet)} v CROSS JOIN documents d ON d.seq = v.document_seq AND d.generation = v.generation
       WHERE v.scope_id = ?${andCondition(condition)}${andCondition(membership)} ORDER BY distance, v.chunk_seq LIMIT ?) n
     JOIN chunks c ON c.seq = n.chunk_seq JOIN documents d ON d.seq = n.document_seq ORDER BY n.distance, n.chunk_seq`,
    vector,
    scopeId,
    ...(condition?.parameters ?? []),
    ...(membership?.parameters ?? []),
    limit,
  );
}

/**
 * Searches with the scope's index. Returns `null` if there is no index, or it excludes too little or is inconsistent.
 */
function searchByScan(
  db: Statements,
  search: VectorSearchArgument,
  scope: SearchedScope,
  containing: Float64Array | null,
): VectorRanking | null {
  const query = encodeQuery(bytesToVector(search.vector));
  const index = query && loadScopeIndex(db, scope, query.dimensions, search.limits);
  if (!index) return null;
  const { filter } = search;
  const matching = filter && filteredChunks(db, scope, { scope: search.scope, filter });
  const chunks = intersection(matching, containing);
  const scansAll = chunks === null && index.length >= search.limits.minDerivedRecords;
  const derived = search.approximate ? "signs" : "sq4";
  if (scansAll && index.countMissing(derived) > 0) deriveWhenIdle(db, scope.id, derived, search.limits);
  const bySigns = scansAll && search.approximate && index.countMissing("signs") <= index.length * MAX_UNDERIVED_SHARE;
  const candidates = bySigns ? index.nearestBySigns(query, search.limit) : index.nearest(query, search.limit, chunks);
  if (candidates.length > Math.max(search.limit, 100) && candidates.length > index.length * MAX_CANDIDATE_SHARE)
    return null;
  const compared = compareNearest(db, search, candidates);
  const ranking = compared && toRanking(db, compared, search.withPassages);
  // Everything in an index is published in this snapshot; otherwise the index is inconsistent.
  if (!ranking) dropScopeIndex(db, scope.id);
  return ranking;
}

/** Returns the intersection of two ascending lists, of which `null` is the list of all chunks. */
function intersection(a: Float64Array | null, b: Float64Array | null): Float64Array | null {
  if (a === null || b === null) return a ?? b;
  let i = 0;
  return a.filter((chunk) => {
    while (i < b.length && b[i]! < chunk) i++;
    return b[i] === chunk;
  });
}

function andCondition(condition: SqlFragment | null): string {
  return condition === null ? "" : ` AND ${condition.sql}`;
}

/**
 * Computes the exact distances of candidates, first of the `limit` candidates with the best estimates. The farthest of
 * them is a bound for the others, most of which can't be nearer. Returns `null` if a candidate has no vector.
 */
function compareNearest(
  db: Statements,
  { vector, limit, vectorSet = 0 }: VectorSearchArgument,
  candidates: readonly Candidate[],
): readonly Match[] | null {
  const first = compare(db, vectorSet, vector, candidates.slice(0, limit));
  if (!first || candidates.length <= limit) return first && [...first].sort(byDistance);
  const farthest = first.reduce((max, { distance }) => Math.max(max, distance), 0);
  const others = candidates.slice(limit).filter(({ upperBound }) => upperBound >= 1 - farthest);
  const second = compare(db, vectorSet, vector, others);
  return second && [...first, ...second].sort(byDistance).slice(0, limit);
}

function compare(
  db: Statements,
  vectorSet: number,
  vector: Uint8Array,
  candidates: readonly Candidate[],
): readonly Match[] | null {
  if (candidates.length === 0) return [];
  const compared = db.all<Match>(
    `SELECT v.chunk_seq AS chunkSeq, ${DISTANCE} AS distance FROM json_each(?) j CROSS JOIN ${vectorTable(vectorSet)} v
     ON v.chunk_seq = j.value`,
    vector,
    JSON.stringify(candidates.map(({ chunkSeq }) => chunkSeq)),
  );
  return compared.length === candidates.length ? compared : null;
}

/** Adds ids and, if requested, passages to matches. Returns `null` if a chunk is not published. */
function toRanking(db: Statements, nearest: readonly Match[], withPassages: boolean): VectorRanking | null {
  const chunkSeqs = nearest.map(({ chunkSeq }) => chunkSeq);
  const passages = withPassages ? publishedPassages(db, chunkSeqs) : null;
  const ids = passages?.map(({ id }) => id) ?? publishedIds(db, chunkSeqs);
  if (ids.length !== nearest.length) return null;
  // A rounded similarity may exceed 1.
  const similarityOf = ({ distance }: Match) => Math.min(1, Math.max(-1, 1 - distance));
  return { matches: ids.map((id, index) => ({ id, similarity: similarityOf(nearest[index]!) })), passages };
}
