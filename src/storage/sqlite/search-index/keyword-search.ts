import { type FilterNode, requiresPresence } from "../../../filter.js";
import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import type { Scope } from "../../../types.js";
import type { RankedRow, Ranking } from "../../keywords/ranking.js";
import type { KeywordRanking, KeywordSearch, TermsQuery } from "../../search-index.js";
import { filterToSql } from "../filter-sql.js";
import type { KeywordIndex } from "../keywords/keyword-index.js";
import { KeywordIndexes } from "../keywords/keyword-indexes.js";
import type { Statements } from "../statements.js";
import { filteredChunks } from "./filtered-chunks.js";
import { findScope, type SearchedScope } from "./find-scope.js";
import { publishedIds, publishedPassages } from "./passages.js";

/** The factor by which more rows are checked if too few of them match the filter. */
const DEPTH_FACTOR = 8;

/**
 * Finds the best published chunks of a scope by BM25, with the statistics of that scope alone. Chunks that contain
 * every term come first.
 */
export function keywordSearch(db: Statements, search: KeywordSearch): KeywordRanking {
  const scope = findScope(db, search.scope);
  const empty = { matches: [], ceiling: 0, epoch: scope?.epoch ?? 0, passages: search.withPassages ? [] : null };
  if (!scope || search.terms.length === 0) return empty;
  const indexes = KeywordIndexes.of(db);
  const { ranking } = indexes;
  const index = indexes.index(scope);
  if (index.rows.liveCount === 0) return empty;
  const isFiltered = search.filter !== null || search.required !== null;
  const ceiling = ranking.score(
    index.rows,
    index.postings(search.terms),
    index.deadCount,
    isFiltered ? undefined : search.limit,
  );
  const prefilter = search.filter !== null && requiresPresence(search.filter) ? search.filter : null;
  const postfilter = prefilter ? null : search.filter;
  if (search.required || prefilter) restrictRanking(db, ranking, { index, scope, search, prefilter });
  const chunkSeq = ({ number }: RankedRow) => index.rows.chunkSeqs[number]!;
  for (let depth = search.limit; ; depth *= DEPTH_FACTOR) {
    const best = ranking.best(depth, search.terms.length);
    const passing = postfilter
      ? applyFilter(db, scope.id, { scope: search.scope, filter: postfilter }, best.map(chunkSeq))
      : null;
    const matches = passing ? best.filter((row) => passing.has(chunkSeq(row))) : best;
    if (matches.length < search.limit && best.length < ranking.count) continue;
    const found = matches.slice(0, search.limit);
    const passages = search.withPassages ? publishedPassages(db, found.map(chunkSeq)) : null;
    const ids = passages?.map(({ id }) => id) ?? publishedIds(db, found.map(chunkSeq));
    return {
      matches: found.map(({ bm25, termCount }, index) => {
        return { id: ids[index]!, bm25, hasAllTerms: termCount === search.terms.length };
      }),
      ceiling,
      epoch: scope.epoch,
      passages,
    };
  }
}

/** Removes from a ranking the rows that lack a required term or don't match a filter whose chunks can be listed. */
function restrictRanking(
  db: Statements,
  ranking: Ranking,
  criteria: { index: KeywordIndex; scope: SearchedScope; search: KeywordSearch; prefilter: FilterNode | null },
): void {
  const { index, scope, search, prefilter } = criteria;
  const marks = new Uint16Array(index.rows.size);
  const mark = (number: number) => {
    marks[number] = marks[number]! + 1;
  };
  const required = search.required ? index.postings(search.required) : [];
  for (const { numbers, size } of required) for (let i = 0; i < size; i++) mark(numbers[i]!);
  if (prefilter) {
    const chunks = filteredChunks(db, scope, { scope: search.scope, filter: prefilter });
    index.rows.match(chunks, (_, number) => mark(number));
  }
  ranking.keep(marks, required.length + (prefilter ? 1 : 0));
}

/** Returns the published chunks of a scope that contain all terms, ascending. */
export function chunksWithTerms(db: Statements, scope: SearchedScope, terms: readonly KeywordTerm[]): Float64Array {
  const index = KeywordIndexes.of(db).index(scope);
  const { rows } = index;
  const [rarest, ...others] = index.postings(terms).toSorted((a, b) => a.size - b.size);
  const containing = rarest!.numbers
    .subarray(0, rarest!.size)
    .filter((number) => rows.alive[number] && others.every((postings) => postings.countOf(number) > 0));
  return Float64Array.from(containing, (number) => rows.chunkSeqs[number]!).sort();
}

/** Returns which of the given chunks are published and contain all terms. */
export function filterByTerms(
  db: Statements,
  query: { scope: Scope; terms: readonly KeywordTerm[]; chunkSeqs: readonly number[] },
): ReadonlySet<number> {
  const scope = findScope(db, query.scope);
  if (!scope) return new Set();
  const index = KeywordIndexes.of(db).index(scope);
  const termCounts = new Map<number, number>();
  for (const { numbers, size } of index.postings(query.terms)) {
    for (const number of numbers.subarray(0, size)) termCounts.set(number, (termCounts.get(number) ?? 0) + 1);
  }
  const found = new Set<number>();
  const ascending = query.chunkSeqs.toSorted((a, b) => a - b);
  index.rows.match(ascending, (position, number) => {
    if (index.rows.alive[number] && termCounts.get(number) === query.terms.length) found.add(ascending[position]!);
  });
  return found;
}

/** Returns which of the given chunks match a filter. */
function applyFilter(
  db: Statements,
  scopeId: number,
  { scope, filter }: { scope: Scope; filter: FilterNode },
  chunkSeqs: readonly number[],
): ReadonlySet<number> {
  const condition = filterToSql(filter, { scope, scopeId, chunkSeqColumn: "given.value" });
  const passing = db.column<number>(
    `SELECT given.value FROM json_each(?) given WHERE ${condition.sql}`,
    JSON.stringify(chunkSeqs),
    ...condition.parameters,
  );
  return new Set(passing);
}

/** Returns, for each term, which of the given chunks contain it according to the keyword index. */
export function chunksByTerm(db: Statements, { scope, terms, chunkSeqs }: TermsQuery): readonly ReadonlySet<number>[] {
  return terms.map((term) => filterByTerms(db, { scope, terms: [term], chunkSeqs }));
}
