import type { StoredPassage } from "../database/procedures/passages.js";
import type { Engine } from "../engine.js";
import type { CallOptions, Scope } from "../types.js";
import { type FusionOptions, fuse, type RankedId } from "./fusion.js";
import type { Question } from "./question.js";
import type { KeywordFound, Listing, SemanticFound, Sources } from "./sources.js";

/** Candidates that each ranking of a hybrid search brings, however few hits are wanted: twice the most that can be. */
export const HYBRID_DEPTH = 200;
/** How often a search is made again because what it found was published anew meanwhile. */
export const MAX_ATTEMPTS = 10;

/** A chunk in the ranking of the mode, and where it came from. */
export interface Found extends RankedId {
  readonly keyword?: KeywordFound | undefined;
  readonly semantic?: SemanticFound | undefined;
  /** Absent unless the mode is hybrid. */
  readonly fusion?: FusionOptions;
}

/** A chunk that was found and read. */
export interface Candidate {
  readonly found: Found;
  readonly passage: StoredPassage;
}

export interface Retrieved {
  /** All that was found, best first; of it, the first `topK` go on. */
  readonly ranking: readonly Found[];
  readonly candidates: readonly Candidate[];
}

/**
 * Finds and reads passages in one state of the scope. Unless words alone are searched for, finding and reading are apart (the vector
 * store may be anywhere), so a document may be published anew in between: then what was found is gone, and the search is made again.
 */
export async function retrieve(
  engine: Engine,
  scope: Scope,
  question: Question,
  sources: Sources,
  call: CallOptions,
): Promise<Retrieved> {
  for (let attempt = 1; ; attempt++) {
    const { ranking, lost, epochs, passages } = await rank(question, sources);
    const best = ranking.slice(0, question.topK);
    if (passages) return { ranking, candidates: candidatesOf(best, passages) };
    const now = await engine.database.ask("livePassages", { scope, ids: best.map(({ id }) => id) }, call);
    const changed = epochs.some((epoch) => epoch !== now.epoch) && (lost > 0 || now.lost > 0);
    if (changed && attempt < MAX_ATTEMPTS) continue;
    return { ranking, candidates: candidatesOf(best, now.passages) };
  }
}

function candidatesOf(best: readonly Found[], passages: readonly StoredPassage[]): readonly Candidate[] {
  const byId = new Map(best.map((found) => [found.id, found]));
  return passages.map((passage) => ({ passage, found: byId.get(passage.id)! }));
}

/** A ranking, and what is known of the moment in which it was made. */
interface Ranking extends Pick<Listing<RankedId>, "lost" | "passages"> {
  readonly ranking: readonly Found[];
  readonly epochs: readonly (number | null)[];
}

async function rank(question: Question, sources: Sources): Promise<Ranking> {
  const depth = question.mode === "hybrid" ? HYBRID_DEPTH : question.topK;
  const [keyword, semantic] = await Promise.all([
    sources.keyword?.(depth, question.mode === "keyword"),
    sources.semantic?.(depth, question.mode === "semantic"),
  ]);
  const made = {
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
