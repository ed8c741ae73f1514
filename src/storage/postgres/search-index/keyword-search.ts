import { requiresPresence } from "../../../filter.js";
import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import type { Scope } from "../../../types.js";
import type { RankedRow, Ranking } from "../../keywords/ranking.js";
import { chunksWithAll, filterByPostings, restrictRanking } from "../../keywords/required-terms.js";
import { toScoredTerms } from "../../keywords/similar-terms.js";
import { candidateCounts, TextRanking } from "../../keywords/text-ranking.js";
import type { KeywordRanking, KeywordSearch, TermsQuery } from "../../search-index.js";
import { applyFilter } from "./filtered-chunks.js";
import { indexedTexts, publishedChunks } from "./passages.js";
import type { ScopeCaches } from "./scope-caches.js";
import { findScope, type SearchedScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";

/** The factor by which more rows are checked if too few of them match the filter. */
const DEPTH_FACTOR = 8;

/**
 * Finds the best published chunks of a scope by BM25, with the statistics of that scope alone. Chunks that contain
 * every term come first.
 */
export async function keywordSearch(db: Snapshot, caches: ScopeCaches, search: KeywordSearch): Promise<KeywordRanking> {
  const scope = await findScope(db, search.scope);
  const empty = {
    matches: [],
    ceiling: 0,
    similarWords: [],
    epoch: scope?.epoch ?? 0,
    passages: search.withPassages ? [] : null,
  };
  if (!scope || search.terms.length === 0) return empty;
  const { ranking } = caches;
  const index = await caches.keywords(db, scope, [...search.terms, ...(search.required ?? [])]);
  const visible = await caches.filtered.listVisible(db, scope, search.scope);
  const rows = visible ? index.visibleRows.of(visible) : index.rows;
  if (rows.liveCount === 0) return empty;
  const prefilter = search.filter !== null && requiresPresence(search.filter) ? search.filter : null;
  const postfilter = prefilter ? null : search.filter;
  const listed = prefilter ? await caches.filtered.list(db, scope, search.scope, prefilter) : null;
  const isFiltered = search.filter !== null || search.required !== null;
  const { scored, similarWords } = toScoredTerms(index, rows, search);
  // No chunk has all words if none has one of them.
  const completeCount = similarWords.length > 0 ? Number.POSITIVE_INFINITY : search.terms.length;
  const required = search.required ? index.postings(search.required) : [];
  const chunkSeq = ({ number }: RankedRow) => index.rows.chunkSeqs[number]!;
  let ceiling = 0;
  let found: readonly RankedRow[] = [];
  for (const count of candidateCounts(search.limit)) {
    ceiling = ranking.score(rows, scored, isFiltered ? undefined : count);
    if (search.required || listed) restrictRanking(ranking, index.rows, { postings: required, listed });
    const candidates = await bestRows(ranking, { limit: count, completeCount }, async (best) => {
      if (!postfilter) return best;
      const filter = { scope: search.scope, filter: postfilter };
      const passing = await applyFilter(db, scope.id, filter, best.map(chunkSeq));
      return best.filter((row) => passing.has(chunkSeq(row)));
    });
    const ranked = { ...search, similarWords, ceiling, completeCount };
    const texts = new TextRanking(ranking, index.analyzer, ranked, candidates);
    for (let unread = texts.unread(); unread.length > 0; unread = texts.unread())
      texts.addTexts(await indexedTexts(db, unread.map(chunkSeq)));
    found = texts.best();
    if (candidates.length < count || !texts.isExhausted) break;
  }
  const published = await publishedChunks(db, found.map(chunkSeq), search.withPassages);
  return {
    matches: found.map(({ bm25, termCount }, place) => {
      return { id: published[place]!.id, bm25, hasAllTerms: termCount === completeCount };
    }),
    ceiling,
    similarWords,
    epoch: scope.epoch,
    passages: search.withPassages ? published.map(({ passage }) => passage!) : null,
  };
}

/** Returns the best rows that pass a filter. Checks more and more rows while too few pass. */
async function bestRows(
  ranking: Ranking,
  { limit, completeCount }: { readonly limit: number; readonly completeCount: number },
  filter: (rows: readonly RankedRow[]) => Promise<readonly RankedRow[]>,
): Promise<readonly RankedRow[]> {
  for (let depth = limit; ; depth *= DEPTH_FACTOR) {
    const best = ranking.best(depth, completeCount);
    const { count } = ranking;
    const passing = await filter(best);
    if (passing.length >= limit || best.length >= count) return passing.slice(0, limit);
  }
}

/** Returns the published chunks of a scope that contain all terms, ascending. */
export async function chunksWithTerms(
  db: Snapshot,
  caches: ScopeCaches,
  scope: SearchedScope,
  terms: readonly KeywordTerm[],
): Promise<Float64Array> {
  const index = await caches.keywords(db, scope, terms);
  return chunksWithAll(index.rows, index.postings(terms));
}

/** Returns which of the given chunks are published and contain all terms. */
export async function filterByTerms(
  db: Snapshot,
  caches: ScopeCaches,
  query: { readonly scope: Scope; readonly terms: readonly KeywordTerm[]; readonly chunkSeqs: readonly number[] },
): Promise<ReadonlySet<number>> {
  const scope = await findScope(db, query.scope);
  if (!scope) return new Set();
  const index = await caches.keywords(db, scope, query.terms);
  return filterByPostings(index.rows, index.postings(query.terms), query.chunkSeqs);
}

/** Returns, for each term, which of the given chunks contain it. */
export async function chunksByTerm(
  db: Snapshot,
  caches: ScopeCaches,
  { scope, terms, chunkSeqs }: TermsQuery,
): Promise<readonly ReadonlySet<number>[]> {
  const found: ReadonlySet<number>[] = [];
  for (const term of terms) found.push(await filterByTerms(db, caches, { scope, terms: [term], chunkSeqs }));
  return found;
}
