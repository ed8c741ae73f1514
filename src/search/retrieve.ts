import type { Engine } from "../engine/engine.js";
import type { StoredPassage } from "../storage/search-index.js";
import type { CallOptions, Scope } from "../types.js";
import { type Duplicate, distinct } from "./distinct.js";
import type { Candidate, Found } from "./found.js";
import { type FusionOptions, fuse, type RankedId } from "./fusion.js";
import type { Question } from "./question.js";
import type { Listing, Sources } from "./sources.js";

/** Candidates that each ranking of a hybrid search brings, however few hits are wanted: twice the most that can be. */
export const HYBRID_DEPTH = 200;
/** Where duplicates leave too few candidates, this many times more passages are looked at, up to the most that hosted stores return. */
const WIDENING = 4;
const MAX_DEPTH = 10_000;
/** How often a search is made again because what it found was published anew meanwhile. */
export const MAX_ATTEMPTS = 10;

export interface Retrieved {
  /** All that was found, best first; of it, the first `cut` go on. */
  readonly ranking: readonly Found[];
  /** `topK`, and one more for each duplicate among them. */
  readonly cut: number;
  readonly candidates: readonly Candidate[];
  /** What among the first `cut` is no candidate, since one has the same text from the same bytes. */
  readonly duplicates: readonly Duplicate[];
}

/**
 * Finds and reads passages in one state of the scope. Unless words alone are searched for, finding and reading are apart (the vector
 * store may be anywhere), so a document may be published anew in between: then what was found is gone, and the search is made again.
 * Duplicates are left out, and as many more passages are asked for.
 */
export async function retrieve(
  engine: Engine,
  scope: Scope,
  question: Question,
  sources: Sources,
  call: CallOptions,
): Promise<Retrieved> {
  const { topK } = question;
  for (let depth = topK; ; depth = Math.min(depth * WIDENING, MAX_DEPTH)) {
    const { ranking, isWhole, best, passages } = await readBest(engine, scope, question, { sources, depth }, call);
    const { candidates, duplicates } = distinct(candidatesOf(best, passages));
    const isEnough = candidates.length >= topK || duplicates.length === 0;
    const isLast = (isWhole && best.length === ranking.length) || depth >= MAX_DEPTH;
    if (!isEnough && !isLast) continue;
    if (!isEnough && depth >= MAX_DEPTH) warnOfDuplicates(engine, candidates.length, topK);
    const kept = candidates.slice(0, topK);
    const last = kept.at(-1)?.found.rank ?? 0;
    const above = kept.length < topK ? duplicates : duplicates.filter(({ found }) => found.rank < last);
    const cut = topK + above.length;
    // Hybrid rankings are all candidates' ranks; of one listing nothing is known below what goes on.
    const shown = question.mode === "hybrid" ? ranking : ranking.slice(0, cut);
    return { ranking: shown, cut, candidates: kept, duplicates: above };
  }
}

function warnOfDuplicates({ events }: Engine, found: number, wanted: number): void {
  const message =
    `A search found ${found} of ${wanted} passages: the first ${MAX_DEPTH} of its ranking are copies of these. ` +
    "Delete documents with the same content, or ingest with dedupe.";
  events.emit({ type: "warning", message });
}

/** A ranking and the passages of its first `depth`, both of one state of the scope. */
async function readBest(
  engine: Engine,
  scope: Scope,
  question: Question,
  { sources, depth }: { readonly sources: Sources; readonly depth: number },
  call: CallOptions,
) {
  for (let attempt = 1; ; attempt++) {
    const { ranking, isWhole, lost, epochs, passages } = await rank(question, sources, depth);
    const best = ranking.slice(0, depth);
    if (passages) return { ranking, isWhole, best, passages };
    const now = await engine.storage.index.livePassages({ scope, ids: best.map(({ id }) => id) }, call);
    const changed = epochs.some((epoch) => epoch !== now.epoch) && (lost > 0 || now.lost > 0);
    if (changed && attempt < MAX_ATTEMPTS) continue;
    return { ranking, isWhole, best, passages: now.passages };
  }
}

function candidatesOf(best: readonly Found[], passages: readonly StoredPassage[]): readonly Candidate[] {
  const byId = new Map(best.map((found) => [found.id, found]));
  return passages.map((passage) => ({ passage, found: byId.get(passage.id)! }));
}

/** A ranking, and what is known of the moment in which it was made. */
interface Ranking extends Pick<Listing<RankedId>, "lost" | "passages"> {
  readonly ranking: readonly Found[];
  /** Whether asking for more would find no more. */
  readonly isWhole: boolean;
  readonly epochs: readonly (number | null)[];
}

async function rank(question: Question, sources: Sources, wanted: number): Promise<Ranking> {
  const depth = question.mode === "hybrid" ? Math.max(HYBRID_DEPTH, wanted) : wanted;
  const [keyword, semantic] = await Promise.all([
    sources.keyword?.(depth, question.mode === "keyword"),
    sources.semantic?.(depth, question.mode === "semantic"),
  ]);
  const made = {
    isWhole: [keyword, semantic].every((listing) => !listing || listing.found.length < depth),
    lost: (keyword?.lost ?? 0) + (semantic?.lost ?? 0),
    epochs: [keyword, semantic].flatMap((listing) => (listing ? [listing.epoch] : [])),
    passages: (keyword ?? semantic)?.passages ?? null,
  };
  if (!semantic)
    return { ranking: (keyword?.found ?? []).map((found) => ({ ...ranked(found), keyword: found })), ...made };
  if (!keyword) return { ranking: semantic.found.map((found) => ({ ...ranked(found), semantic: found })), ...made };
  const fusion = fusionOf(question, sources);
  const [byKeyword, bySemantic] = [new Map(keyword.found.map(own)), new Map(semantic.found.map(own))];
  const ranking = fuse(keyword.found, semantic.found, fusion).map((fused) => ({
    ...fused,
    keyword: byKeyword.get(fused.id),
    semantic: bySemantic.get(fused.id),
    fusion,
  }));
  return { ranking, ...made };
}

/** Ranks are on one scale whatever the embedder, so rank fusion weighs both alike. */
function fusionOf({ fusion: method, semanticWeight }: Question, sources: Sources): FusionOptions {
  return { method, semanticWeight: semanticWeight ?? (method === "rrf" ? 0.5 : sources.semanticWeight) };
}

function ranked({ id, rank, score }: RankedId): RankedId {
  return { id, rank, score };
}

function own<Ranked extends RankedId>(found: Ranked): [string, Ranked] {
  return [found.id, found];
}
