import type { Engine } from "../engine/engine.js";
import { reportDamagedChunks } from "../engine/report-damage.js";
import type { SearchScope, StoredPassage } from "../storage/search-index.js";
import { startSpan, traced } from "../telemetry/traced.js";
import type { CallOptions } from "../types.js";
import { applyBoosts } from "./apply-boosts.js";
import { chooseCandidates } from "./choose-candidates.js";
import { type Duplicate, deduplicate } from "./deduplicate.js";
import { candidateCount } from "./diversify.js";
import { type FusionOptions, fuse, type RankedId } from "./fusion.js";
import { mergeRankings } from "./merge-rankings.js";
import type { PassageFeatures } from "./passage-features.js";
import type { Candidate, RankedChunk } from "./ranked-chunk.js";
import type { PassageRef, SearchRequest } from "./search-request.js";
import type { SourceRanking, Sources, Wording } from "./sources.js";

/** Number of candidates from each ranking of a hybrid search, whatever `topK` is: twice the maximum of `topK`. */
export const HYBRID_DEPTH = 200;
/** Multiplies the depth while too many passages are omitted. */
const DEPTH_FACTOR = 4;
/** The most matches that hosted stores return. */
const MAX_DEPTH = 10_000;
/** So many passages at most are read because those that boosts prefer may be further down. */
const MAX_BOOSTED = 2_000;
/** Maximum attempts to read all hits at one epoch while documents are being published. */
export const MAX_ATTEMPTS = 10;

export interface RetrievalResult {
  /** All chunks found, best first. The first `cut` pass to the next stage. */
  readonly ranking: readonly RankedChunk[];
  /** `topK`, or what `diversity` chooses from, plus the number of omitted passages. */
  readonly cut: number;
  readonly candidates: readonly Candidate[];
  /** Omitted duplicates among the first `cut`. */
  readonly duplicates: readonly Duplicate[];
}

/**
 * Finds and reads passages at one epoch of the scope. Except in keyword search, finding and reading are separate steps
 * (the vector store may be remote). If a document is republished in between, the chunks found are gone, and the search
 * is repeated. Omits damaged passages, duplicates and those beyond `perDocument` or `maxSimilarity`, and fetches more
 * passages to replace them.
 */
export async function retrieve(
  engine: Engine,
  scope: SearchScope,
  request: SearchRequest,
  wordings: readonly Wording[],
  features: PassageFeatures,
  call: CallOptions,
): Promise<RetrievalResult> {
  const { perDocument, maxSimilarity, parsedBoosts: boosts, minScore = 0, excluded } = request;
  const topK = candidateCount(request);
  const limits = { topK, perDocument, maxSimilarity, features };
  const now = engine.now();
  let depth = excluded ? topK + 1 : topK;
  let sourceDepth = depth;
  for (;;) {
    const depths = { depth, sourceDepth };
    const { ranking, isComplete, best, passages } = await readBest(engine, scope, request, wordings, depths, call);
    const sound = passages.filter((passage) => !passage.isDamaged && !isPassage(passage, excluded));
    const ordered = candidatesOf(best, sound);
    const boosted = boosts.length === 0 ? ordered : applyBoosts(ordered, boosts, { scope, now });
    const distinct = deduplicate(boosted);
    const { candidates, duplicates: similar } = chooseCandidates(distinct.candidates, limits);
    const isFull = candidates.length === topK;
    // Boosts raise no score: what has not been read can't score more than the last that was.
    const highestUnread = boosts.length === 0 ? 0 : (best.at(-1)?.score ?? 0);
    const isSurpassable = (candidates[topK - 1]?.ranked.score ?? 0) < highestUnread && highestUnread >= minScore;
    const isEnough = (isFull || candidates.length === passages.length) && !isSurpassable;
    // A deeper hybrid search would change scores, so boosts alone are no reason for one.
    const isRankingEnough = isComplete || (isFull && request.mode === "hybrid");
    const isLast = (isRankingEnough && best.length === ranking.length) || depth >= (isFull ? MAX_BOOSTED : MAX_DEPTH);
    if (!isEnough && !isLast) {
      depth = Math.min(depth * DEPTH_FACTOR, MAX_DEPTH);
      if (!isRankingEnough) sourceDepth = depth;
      continue;
    }
    if (!isEnough && !isFull && depth >= MAX_DEPTH) warnOfOmitted(engine, candidates.length, request.topK);
    const damaged = passages.filter(({ isDamaged }) => isDamaged);
    reportDamagedChunks(engine, damaged);
    const found = candidates.length;
    const cut = found < topK ? topK + passages.length - found : candidates.at(-1)!.ranked.rank;
    // A single ranking is complete only down to the cut.
    const reliableRanking = request.mode === "hybrid" ? ranking : ranking.slice(0, cut);
    const omitted = [...distinct.duplicates, ...similar].filter(({ ranked }) => ranked.rank <= cut);
    return { ranking: reliableRanking, cut, candidates, duplicates: omitted };
  }
}

function warnOfOmitted({ events }: Engine, found: number, topK: number): void {
  if (found >= topK) return;
  const message =
    `A search found ${found} of ${topK} passages: all others among the first ${MAX_DEPTH} are duplicates, damaged, or ` +
    "more than perDocument. If duplicates, delete documents with the same content, or ingest with the option dedupe.";
  events.emit({ type: "warning", message });
}

/** Ranks chunks and reads the passages of the first `depth`, both at one epoch. */
async function readBest(
  engine: Engine,
  scope: SearchScope,
  request: SearchRequest,
  wordings: readonly Wording[],
  { depth, sourceDepth }: { readonly depth: number; readonly sourceDepth: number },
  call: CallOptions,
) {
  for (let attempt = 1; ; attempt++) {
    const { ranking, isComplete, staleCount, epochs, passages } = await rankWordings(request, wordings, sourceDepth);
    const best = ranking.slice(0, depth);
    if (passages) return { ranking, isComplete, best, passages };
    const ids = best.map(({ id }) => id);
    const live = await traced("lorebase.search.read_passages", {}, () =>
      engine.storage.index.livePassages({ scope, ids }, call),
    );
    const hasChanged = epochs.some((epoch) => epoch !== live.epoch) && (staleCount > 0 || live.missing > 0);
    if (hasChanged && attempt < MAX_ATTEMPTS) continue;
    return { ranking, isComplete, best, passages: live.passages };
  }
}

function isPassage({ documentId, ordinal }: StoredPassage, ref: PassageRef | null): boolean {
  return ref !== null && documentId === ref.documentId && ordinal === ref.ordinal;
}

function candidatesOf(best: readonly RankedChunk[], passages: readonly StoredPassage[]): readonly Candidate[] {
  const byId = new Map(best.map((ranked) => [ranked.id, ranked]));
  return passages.map((passage) => ({ passage, ranked: byId.get(passage.id)! }));
}

/** A ranking with the epochs of its sources. */
interface Ranking extends Pick<SourceRanking<RankedId>, "staleCount" | "passages"> {
  readonly ranking: readonly RankedChunk[];
  /** Whether a deeper search would find no more chunks. */
  readonly isComplete: boolean;
  readonly epochs: readonly (number | null)[];
}

function rankWordings(request: SearchRequest, wordings: readonly Wording[], depth: number): Promise<Ranking> {
  const [first, ...others] = wordings as readonly [Wording, ...Wording[]];
  if (others.length > 0) return rankTogether(request, wordings, depth);
  return rankChunks(request, first.sources, depth, request.mode !== "hybrid");
}

async function rankTogether(request: SearchRequest, wordings: readonly Wording[], depth: number): Promise<Ranking> {
  // Passages that are read with each ranking would be of several epochs.
  const rankings = await Promise.all(wordings.map(({ sources }) => rankChunks(request, sources, depth, false)));
  return {
    ranking: mergeRankings(rankings.map(({ ranking }, index) => ({ query: wordings[index]!.query, ranking }))),
    isComplete: rankings.every(({ isComplete }) => isComplete),
    staleCount: rankings.reduce((sum, { staleCount }) => sum + staleCount, 0),
    epochs: rankings.flatMap(({ epochs }) => epochs),
    passages: null,
  };
}

async function rankChunks(
  request: SearchRequest,
  sources: Sources,
  minDepth: number,
  withPassages: boolean,
): Promise<Ranking> {
  const depth = request.mode === "hybrid" ? Math.max(HYBRID_DEPTH, minDepth) : minDepth;
  const [keyword, semantic] = await Promise.all([
    sources.keyword?.(depth, withPassages),
    sources.semantic?.(depth, withPassages),
  ]);
  const state = {
    isComplete: [keyword, semantic].every((source) => !source || source.matches.length < depth),
    staleCount: (keyword?.staleCount ?? 0) + (semantic?.staleCount ?? 0),
    epochs: [keyword, semantic].flatMap((source) => (source ? [source.epoch] : [])),
    passages: (keyword ?? semantic)?.passages ?? null,
  };
  if (!semantic)
    return { ranking: (keyword?.matches ?? []).map((match) => ({ ...toRankedId(match), keyword: match })), ...state };
  if (!keyword)
    return { ranking: semantic.matches.map((match) => ({ ...toRankedId(match), semantic: match })), ...state };
  const span = startSpan("lorebase.search.fuse");
  const fusion = fusionOf(request, sources);
  const [byKeyword, bySemantic] = [new Map(keyword.matches.map(idEntry)), new Map(semantic.matches.map(idEntry))];
  const ranking = fuse(keyword.matches, semantic.matches, fusion).map((fused) => ({
    ...fused,
    keyword: byKeyword.get(fused.id),
    semantic: bySemantic.get(fused.id),
    fusion,
  }));
  span.end();
  return { ranking, ...state };
}

/**
 * Returns the fusion options. Ranks do not depend on the embedder, so by default `rrf` weights both rankings equally.
 */
function fusionOf({ fusion: method, semanticWeight }: SearchRequest, sources: Sources): FusionOptions {
  return { method, semanticWeight: semanticWeight ?? (method === "rrf" ? 0.5 : sources.semanticWeight) };
}

function toRankedId({ id, rank, score }: RankedId): RankedId {
  return { id, rank, score };
}

function idEntry<Ranked extends RankedId>(ranked: Ranked): [string, Ranked] {
  return [ranked.id, ranked];
}
