import { BoundedHeap } from "../../../util/bounded-heap.js";
import { bytesToVector } from "../../../util/float32-bytes.js";
import type { Candidate } from "../../../vector-scan/nearest-bounds.js";
import { type EncodedQuery, encodeQuery } from "../../../vector-scan/query.js";
import type { VectorRanking, VectorSearch } from "../../search-index.js";
import { KEPT_VECTOR_SET, vectorSetGoneError, vectorTable } from "../../vector-sets.js";
import { cosineDistance } from "./cosine-distance.js";
import { chunksWithTerms } from "./keyword-search.js";
import { type PublishedChunk, publishedChunks } from "./passages.js";
import type { ScopeCaches } from "./scope-caches.js";
import { findScope, type SearchedScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";
import type { VectorIndex } from "./vector-index.js";

interface Match {
  readonly chunkSeq: number;
  readonly distance: number;
}

/** Candidates with the best estimates are compared first. Most searches have fewer than these. */
const MIN_COMPARED = 64;
/** How many passages are read at once more than are asked for. */
const MORE_LIKELY = 4;
/** If more than this share of the records lacks sign bits, an exact scan is faster than deriving the sign bits. */
const MAX_UNDERIVED_SHARE = 0.125;
/** If the candidates are more than this share of the index, comparing all vectors in order is faster. */
const MAX_CANDIDATE_SHARE = 0.25;
/** The number of vectors that are read at once where all are compared. */
const VECTORS_PER_QUERY = 2000;

const isFarther = (a: Match, b: Match) =>
  a.distance > b.distance || (a.distance === b.distance && a.chunkSeq > b.chunkSeq);

/**
 * Finds a scope's published chunks nearest to a vector, by their distances, then in the order of insertion.
 * @param search.vector of length 1, or all zeros
 */
export async function vectorSearch(db: Snapshot, caches: ScopeCaches, search: VectorSearch): Promise<VectorRanking> {
  const scope = await findScope(db, search.scope);
  if (!scope) return { matches: [], passages: null };
  const { required, filter, vectorSet = 0 } = search;
  const isActive = vectorSet === scope.vectorSet;
  if (!isActive && (await db.rows(KEPT_VECTOR_SET, search.scope.namespaceId, vectorSet)).length === 0)
    throw vectorSetGoneError();
  const containing = required ? await chunksWithTerms(db, caches, scope, required) : null;
  const matching = filter && (await caches.filtered.list(db, scope, search.scope, filter));
  const visible = await caches.filtered.listVisible(db, scope, search.scope);
  const chunks = intersection(intersection(visible, matching), containing);
  // The other set has no index: it is only searched for comparisons, and by searches that began before it was replaced.
  const found = isActive ? await searchByScan(db, caches, search, scope, chunks) : null;
  if (found) return found;
  const nearest = await compareAll(db, search, scope.id, chunks);
  return toRanking(nearest, await publishedChunks(db, nearest.map(chunkSeqOf), search.withPassages), search);
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

/**
 * Searches with the scope's index. Returns `null` if there is no index, or it excludes too little or is inconsistent.
 */
async function searchByScan(
  db: Snapshot,
  caches: ScopeCaches,
  search: VectorSearch,
  scope: SearchedScope,
  chunks: Float64Array | null,
): Promise<VectorRanking | null> {
  const query = encodeQuery(search.vector);
  const index = query && (await caches.vectors(db, scope, query.dimensions));
  if (!index) return null;
  const candidates = findCandidates(caches, index, query, search, chunks);
  const { length } = index.records;
  if (candidates.length > Math.max(search.limit, 100) && candidates.length > length * MAX_CANDIDATE_SHARE) return null;
  // The best estimates are almost always the nearest, so their passages are read together with their vectors.
  const likely = candidates.slice(0, search.limit + MORE_LIKELY).map(chunkSeqOf);
  const [compared, chunksRead] = await Promise.all([
    compareNearest(db, search, candidates),
    publishedChunks(db, likely, search.withPassages),
  ]);
  const published = compared && (await readOthers(db, compared, chunksRead, search));
  // Everything in an index is published in this snapshot; otherwise the index is inconsistent.
  if (published && published.length === compared.length) return toRanking(compared, published, search);
  caches.dropVectors(scope.id);
  return null;
}

/** Returns the published chunks of matches, of which some have been read. */
async function readOthers(
  db: Snapshot,
  matches: readonly Match[],
  chunksRead: readonly PublishedChunk[],
  { withPassages }: VectorSearch,
): Promise<readonly PublishedChunk[]> {
  const known = new Map(chunksRead.map((chunk) => [chunk.chunkSeq, chunk]));
  const others = matches.filter(({ chunkSeq }) => !known.has(chunkSeq)).map(chunkSeqOf);
  for (const chunk of await publishedChunks(db, others, withPassages)) known.set(chunk.chunkSeq, chunk);
  return matches.flatMap(({ chunkSeq }) => known.get(chunkSeq) ?? []);
}

function findCandidates(
  caches: ScopeCaches,
  index: VectorIndex,
  query: EncodedQuery,
  { limit, approximate }: VectorSearch,
  chunks: Float64Array | null,
): readonly Candidate[] {
  const { records } = index;
  if (chunks !== null || records.length < caches.limits.minDerivedRecords) return records.nearest(query, limit, chunks);
  const derived = approximate ? "signs" : "sq4";
  if (records.countMissing(derived) > 0) caches.deriveWhenIdle(index, derived);
  const bySigns = approximate && records.countMissing("signs") <= records.length * MAX_UNDERIVED_SHARE;
  return bySigns ? records.nearestBySigns(query, limit) : records.nearest(query, limit, null);
}

/**
 * Computes the exact distances of candidates, first of those with the best estimates. The farthest of the nearest is a
 * bound for the others, most of which can't be nearer. Returns `null` if a candidate has no vector.
 */
async function compareNearest(
  db: Snapshot,
  { vector, limit, vectorSet = 0 }: VectorSearch,
  candidates: readonly Candidate[],
): Promise<readonly Match[] | null> {
  const best = new BoundedHeap<Match>(limit, isFarther);
  const firstCount = Math.max(limit, MIN_COMPARED);
  const first = await compare(db, vectorSet, vector, candidates.slice(0, firstCount));
  for (const match of first) best.add(match);
  const farthest = best.worst?.distance ?? Number.POSITIVE_INFINITY;
  const others = candidates.slice(firstCount).filter(({ upperBound }) => upperBound >= 1 - farthest);
  const second = await compare(db, vectorSet, vector, others);
  for (const match of second) best.add(match);
  const isComplete = first.length === Math.min(firstCount, candidates.length) && second.length === others.length;
  return isComplete ? nearestFirst(best) : null;
}

async function compare(
  db: Snapshot,
  vectorSet: number,
  vector: Float32Array,
  candidates: readonly Candidate[],
): Promise<readonly Match[]> {
  if (candidates.length === 0) return [];
  const rows = await db.rows<{ chunkSeq: number; vector: Uint8Array }>(
    `SELECT chunk_seq AS "chunkSeq", vector FROM ${vectorTable(vectorSet)} WHERE chunk_seq = ANY(?::bigint[])`,
    candidates.map(({ chunkSeq }) => chunkSeq),
  );
  return rows.map((row) => ({ chunkSeq: row.chunkSeq, distance: cosineDistance(vector, bytesToVector(row.vector)) }));
}

/** Compares all published vectors of a scope, or those of `chunks`. */
async function compareAll(
  db: Snapshot,
  { vector, limit, vectorSet = 0 }: VectorSearch,
  scopeId: number,
  chunks: Float64Array | null,
): Promise<readonly Match[]> {
  const best = new BoundedHeap<Match>(limit, isFarther);
  for (let after = 0; ; ) {
    const among = chunks?.subarray(after, after + VECTORS_PER_QUERY);
    const rows = await db.rows<{ chunkSeq: number; vector: Uint8Array }>(
      `SELECT v.chunk_seq AS "chunkSeq", v.vector FROM ${vectorTable(vectorSet)} v
       JOIN documents d ON d.seq = v.document_seq AND d.generation = v.generation
       WHERE v.scope_id = ? AND ${among ? "v.chunk_seq = ANY(?::bigint[])" : "v.chunk_seq > ?"}
       ORDER BY v.chunk_seq LIMIT ${VECTORS_PER_QUERY}`,
      scopeId,
      among ? [...among] : after,
    );
    for (const row of rows)
      best.add({ chunkSeq: row.chunkSeq, distance: cosineDistance(vector, bytesToVector(row.vector)) });
    after = chunks ? after + VECTORS_PER_QUERY : (rows.at(-1)?.chunkSeq ?? 0);
    if (chunks ? after >= chunks.length : rows.length < VECTORS_PER_QUERY) return nearestFirst(best);
  }
}

function nearestFirst(best: BoundedHeap<Match>): readonly Match[] {
  return best.items.toSorted((a, b) => (isFarther(a, b) ? 1 : -1));
}

/** Adds ids and, if requested, passages to the matches, all of which are published. */
function toRanking(
  nearest: readonly Match[],
  published: readonly PublishedChunk[],
  { withPassages }: VectorSearch,
): VectorRanking {
  // A rounded similarity may exceed 1.
  const similarityOf = ({ distance }: Match) => Math.min(1, Math.max(-1, 1 - distance));
  return {
    matches: published.map(({ id }, index) => ({ id, similarity: similarityOf(nearest[index]!) })),
    passages: withPassages ? published.map(({ passage }) => passage!) : null,
  };
}

function chunkSeqOf({ chunkSeq }: { readonly chunkSeq: number }): number {
  return chunkSeq;
}
