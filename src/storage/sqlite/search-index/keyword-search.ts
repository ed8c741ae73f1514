import { type FilterNode, requiresPresence } from "../../../filter.js";
import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import type { Scope } from "../../../types.js";
import type { RankedRow, Ranking } from "../../keywords/ranking.js";
import { chunksWithAll, filterByPostings, restrictRanking } from "../../keywords/required-terms.js";
import { toScoredTerms } from "../../keywords/similar-terms.js";
import { candidateCounts, TextRanking } from "../../keywords/text-ranking.js";
import type { KeywordRanking, KeywordSearch, TermsQuery } from "../../search-index.js";
import { filterToSql } from "../filter-sql.js";
import { KeywordIndexes } from "../keywords/keyword-indexes.js";
import type { Statements } from "../statements.js";
import { filteredChunks, visibleChunks } from "./filtered-chunks.js";
import { findScope, type SearchedScope } from "./find-scope.js";
import { indexedTexts, publishedIds, publishedPassages } from "./passages.js";

/** The factor by which more rows are checked if too few of them match the filter. */
const DEPTH_FACTOR = 8;

/**
 * Finds the best published chunks of a scope by BM25, with the statistics of that scope alone. Chunks that contain
 * every term come first.
 */
export function keywordSearch(db: Statements, search: KeywordSearch): KeywordRanking {
  const scope = findScope(db, search.scope);
  const empty = {
    matches: [],
    ceiling: 0,
    similarWords: [],
    epoch: scope?.epoch ?? 0,
    passages: search.withPassages ? [] : null,
  };
  if (!scope || search.terms.length === 0) return empty;
  const indexes = KeywordIndexes.of(db);
  const { ranking } = indexes;
  const index = indexes.index(scope);
  const visible = visibleChunks(db, scope, search.scope);
  const rows = visible ? index.visibleRows.of(visible) : index.rows;
  if (rows.liveCount === 0) return empty;
  const isFiltered = search.filter !== null || search.required !== null;
  const { scored, similarWords } = toScoredTerms(index, rows, search);
  // No chunk has all words if none has one of them.
  const completeCount = similarWords.length > 0 ? Number.POSITIVE_INFINITY : search.terms.length;
  const prefilter = search.filter !== null && requiresPresence(search.filter) ? search.filter : null;
  const postfilter = prefilter ? null : search.filter;
  const listed = prefilter ? filteredChunks(db, scope, { scope: search.scope, filter: prefilter }) : null;
  const required = search.required ? index.postings(search.required) : [];
  const chunkSeq = ({ number }: RankedRow) => index.rows.chunkSeqs[number]!;
  let ceiling = 0;
  let found: readonly RankedRow[] = [];
  for (const count of candidateCounts(search.limit)) {
    ceiling = ranking.score(rows, scored, isFiltered ? undefined : count);
    if (search.required || listed) restrictRanking(ranking, index.rows, { postings: required, listed });
    const candidates = bestRows(ranking, { limit: count, completeCount }, (best) => {
      if (!postfilter) return best;
      const passing = applyFilter(db, scope.id, { scope: search.scope, filter: postfilter }, best.map(chunkSeq));
      return best.filter((row) => passing.has(chunkSeq(row)));
    });
    const ranked = { ...search, similarWords, ceiling, completeCount };
    const texts = new TextRanking(ranking, index.analyzer, ranked, candidates);
    for (let unread = texts.unread(); unread.length > 0; unread = texts.unread())
      texts.addTexts(indexedTexts(db, unread.map(chunkSeq)));
    found = texts.best();
    if (candidates.length < count || !texts.isExhausted) break;
  }
  const passages = search.withPassages ? publishedPassages(db, found.map(chunkSeq)) : null;
  const ids = passages?.map(({ id }) => id) ?? publishedIds(db, found.map(chunkSeq));
  return {
    matches: found.map(({ bm25, termCount }, index) => {
      return { id: ids[index]!, bm25, hasAllTerms: termCount === completeCount };
    }),
    ceiling,
    similarWords,
    epoch: scope.epoch,
    passages,
  };
}

/** Returns the best rows that pass a filter. Checks more and more rows while too few pass. */
function bestRows(
  ranking: Ranking,
  { limit, completeCount }: { readonly limit: number; readonly completeCount: number },
  filter: (rows: readonly RankedRow[]) => readonly RankedRow[],
): readonly RankedRow[] {
  for (let depth = limit; ; depth *= DEPTH_FACTOR) {
    const best = ranking.best(depth, completeCount);
    const passing = filter(best);
    if (passing.length >= limit || best.length >= ranking.count) return passing.slice(0, limit);
  }
}

/** Returns the published chunks of a scope that contain all terms, ascending. */
export function chunksWithTerms(db: Statements, scope: SearchedScope, terms: readonly KeywordTerm[]): Float64Array {
  const index = KeywordIndexes.of(db).index(scope);
  return chunksWithAll(index.rows, index.postings(terms));
}

/** Returns which of the given chunks are published and contain all terms. */
export function filterByTerms(
  db: Statements,
  query: { scope: Scope; terms: readonly KeywordTerm[]; chunkSeqs: readonly number[] },
): ReadonlySet<number> {
  const scope = findScope(db, query.scope);
  if (!scope) return new Set();
  const index = KeywordIndexes.of(db).index(scope);
  return filterByPostings(index.rows, index.postings(query.terms), query.chunkSeqs);
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
