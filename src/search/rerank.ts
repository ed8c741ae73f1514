import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { RankedPassage, Reranker } from "../interfaces/reranker.js";
import type { CallOptions } from "../types.js";
import type { Candidate } from "./found.js";

/** A candidate in the order in which it is returned. */
export interface Ordered extends Candidate {
  /** Absent where no reranker judged it. */
  readonly rerankScore?: number;
}

export interface RerankRequest {
  readonly query: string;
  readonly reranker: Reranker;
  /** Most candidates returned. */
  readonly limit: number;
  /** The longest that judging may take, in milliseconds; undefined for no end. */
  readonly timeoutMs: number | undefined;
}

/**
 * Candidates by their rerank score, best first; those without one follow in the order of retrieval. A candidate has none where the time
 * ran out before it was judged: rerankers judge in the order of retrieval, so these are its last. A warning says how many.
 *
 * @throws KnowledgeBaseError `provider_failed`, and what the reranker fails with, unless the engine is to keep the order then
 */
export async function rerank(
  engine: Engine,
  candidates: readonly Candidate[],
  request: RerankRequest,
  call: CallOptions,
): Promise<readonly Ordered[]> {
  const { reranker, limit } = request;
  if (candidates.length === 0) return candidates;
  try {
    const { scores, inTime } = await judge(candidates, request, call);
    const missing = candidates.length - scores.size;
    if (!inTime && missing > 0) {
      const reached = `judged ${scores.size} of ${candidates.length} passages in ${request.timeoutMs} ms`;
      engine.events.emit({
        type: "warning",
        message: `The reranker ${reranker.model} ${reached}; the others keep their order.`,
      });
    }
    const judged = candidates
      .flatMap((candidate, index) => (scores.has(index) ? [{ ...candidate, rerankScore: scores.get(index)! }] : []))
      .sort((a, b) => b.rerankScore - a.rerankScore);
    return [...judged, ...candidates.filter((_, index) => !scores.has(index))].slice(0, limit);
  } catch (error) {
    if (call.signal?.aborted || engine.options.rerankFailure === "fail") throw error;
    const message = `The reranker ${reranker.model} failed, so hits keep their order: ${messageOf(error)}`;
    engine.events.emit({ type: "warning", message });
    return candidates.slice(0, limit);
  }
}

interface Judgement {
  /** By the candidate's index. */
  readonly scores: ReadonlyMap<number, number>;
  readonly inTime: boolean;
}

async function judge(
  candidates: readonly Candidate[],
  { query, reranker, limit, timeoutMs }: RerankRequest,
  { signal }: CallOptions,
): Promise<Judgement> {
  const passages = candidates.map(({ passage }) => passage.text);
  const heard: RankedPassage[] = [];
  const onScore = (ranked: RankedPassage) => void heard.push(ranked);
  const outOfTime = new AbortController();
  const ending = signal ? AbortSignal.any([signal, outOfTime.signal]) : outOfTime.signal;
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => outOfTime.abort(), timeoutMs);
  try {
    // Whether or not the reranker minds the signal: nobody waits for it longer.
    const ranked = await Promise.race([
      reranker.rerank(query, passages, { signal: ending, limit, onScore }),
      endOf(ending),
    ]);
    return { scores: checkedScores(reranker, ranked, candidates.length), inTime: true };
  } catch (error) {
    if (!outOfTime.signal.aborted || signal?.aborted) throw error;
    return { scores: checkedScores(reranker, heard, candidates.length), inTime: false };
  } finally {
    clearTimeout(timer);
  }
}

function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** @throws KnowledgeBaseError `provider_failed` for a passage that was not given or comes twice, and for a score beyond 0 and 1 */
function checkedScores(reranker: Reranker, ranked: readonly RankedPassage[], given: number): Map<number, number> {
  const scores = new Map<number, number>();
  for (const { index, score } of ranked) {
    const known = Number.isInteger(index) && index >= 0 && index < given;
    if (known && !scores.has(index) && score >= 0 && score <= 1) scores.set(index, score);
    else {
      const what = known
        ? scores.has(index)
          ? `passage ${index} twice`
          : `a score of ${score}`
        : `passage ${index} of ${given}`;
      throw new KnowledgeBaseError("provider_failed", `The reranker ${reranker.model} gave ${what}.`);
    }
  }
  return scores;
}
