import type { Engine } from "../engine/engine.js";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { RankedPassage, Reranker } from "../interfaces/reranker.js";
import { traced } from "../telemetry/traced.js";
import type { CallOptions } from "../types.js";
import type { Candidate } from "./ranked-chunk.js";

/** A candidate in the final order. */
export interface OrderedCandidate extends Candidate {
  /** Absent if the candidate was not scored. */
  readonly rerankScore?: number;
}

export interface RerankRequest {
  readonly query: string;
  readonly reranker: Reranker;
  /** Maximum number of candidates to return. */
  readonly limit: number;
  /** In milliseconds; `undefined` for no limit. */
  readonly timeoutMs: number | undefined;
}

/**
 * Orders candidates by their rerank score, best first. If reranking times out, candidates without a score follow in
 * retrieval order, and a warning says how many were scored. Rerankers score the best candidates first.
 *
 * @throws KnowledgeBaseError `provider_failed` and the reranker's own errors, unless the option `rerankFailure` is
 * "keep-order"
 */
export async function rerank(
  engine: Engine,
  candidates: readonly Candidate[],
  request: RerankRequest,
  call: CallOptions,
): Promise<readonly OrderedCandidate[]> {
  const { reranker, limit } = request;
  if (candidates.length === 0) return candidates;
  try {
    const { scores, hasTimedOut } = await traced(
      "lorebase.search.rerank",
      { "lorebase.search.passages": candidates.length },
      () => scoreCandidates(candidates, request, call),
    );
    const unscored = candidates.length - scores.size;
    if (hasTimedOut && unscored > 0) {
      const progress = `scored ${scores.size} of ${candidates.length} passages in ${request.timeoutMs} ms`;
      engine.events.emit({
        type: "warning",
        message: `The reranker ${reranker.model} ${progress}; the other passages keep their order.`,
      });
    }
    const scored = candidates
      .flatMap((candidate, index) => (scores.has(index) ? [{ ...candidate, rerankScore: scores.get(index)! }] : []))
      .sort((a, b) => b.rerankScore - a.rerankScore);
    return [...scored, ...candidates.filter((_, index) => !scores.has(index))].slice(0, limit);
  } catch (error) {
    if (call.signal?.aborted || engine.options.rerankFailure === "fail") throw error;
    const message = `The reranker ${reranker.model} failed, so hits keep their order: ${getErrorMessage(error)}`;
    engine.events.emit({ type: "warning", message });
    return candidates.slice(0, limit);
  }
}

interface RerankScores {
  /** Scores by the candidate's index. */
  readonly scores: ReadonlyMap<number, number>;
  readonly hasTimedOut: boolean;
}

async function scoreCandidates(
  candidates: readonly Candidate[],
  { query, reranker, limit, timeoutMs }: RerankRequest,
  { signal }: CallOptions,
): Promise<RerankScores> {
  const passages = candidates.map(({ passage }) => passage.text);
  const reportedScores: RankedPassage[] = [];
  const onScore = (ranked: RankedPassage) => void reportedScores.push(ranked);
  const timeout = new AbortController();
  const anySignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => timeout.abort(), timeoutMs);
  try {
    // The reranker may ignore its signal.
    const ranked = await Promise.race([
      reranker.rerank(query, passages, { signal: anySignal, limit, onScore }),
      rejectOnAbort(anySignal),
    ]);
    return { scores: validateScores(reranker, ranked, candidates.length), hasTimedOut: false };
  } catch (error) {
    if (!timeout.signal.aborted || signal?.aborted) throw error;
    return { scores: validateScores(reranker, reportedScores, candidates.length), hasTimedOut: true };
  } finally {
    clearTimeout(timer);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * Returns the scores by index.
 * @throws KnowledgeBaseError `provider_failed` for an unknown or repeated passage, and for a score outside 0 to 1
 */
function validateScores(
  reranker: Reranker,
  ranked: readonly RankedPassage[],
  passageCount: number,
): Map<number, number> {
  const scores = new Map<number, number>();
  for (const { index, score } of ranked) {
    const isKnown = Number.isInteger(index) && index >= 0 && index < passageCount;
    if (isKnown && !scores.has(index) && score >= 0 && score <= 1) scores.set(index, score);
    else {
      const problem = isKnown
        ? scores.has(index)
          ? `passage ${index} twice`
          : `a score of ${score}, which is not from 0 to 1`
        : `passage ${index}, but was given ${passageCount}`;
      throw new KnowledgeBaseError("provider_failed", `The reranker ${reranker.model} returned ${problem}.`);
    }
  }
  return scores;
}
