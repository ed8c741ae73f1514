import { KnowledgeBaseError } from "../errors.js";
import type { RankedPassage } from "../interfaces/reranker.js";

/**
 * Validates a service's ranking and sorts it, best first, ties in the order of the request.
 *
 * @param given Number of passages sent.
 * @param wanted Number of passages requested.
 * @throws KnowledgeBaseError `provider_failed` for a wrong number of passages, an unknown or repeated passage, and a
 * score that is not a number from 0 to 1
 */
export function checkRanking(
  ranking: readonly RankedPassage[],
  { model, given, wanted }: { readonly model: string; readonly given: number; readonly wanted: number },
): RankedPassage[] {
  const refuse = (what: string) => new KnowledgeBaseError("provider_failed", `The reranker ${model} returned ${what}.`);
  if (ranking.length !== wanted) throw refuse(`${ranking.length} passages instead of ${wanted}`);
  const seen = new Set<number>();
  for (const { index, score } of ranking) {
    if (!Number.isInteger(index) || index < 0 || index >= given) throw refuse(`passage ${index} of ${given}`);
    if (seen.has(index)) throw refuse(`passage ${index} twice`);
    if (!(score >= 0 && score <= 1)) throw refuse(`a score of ${score}, which is not from 0 to 1`);
    seen.add(index);
  }
  return ranking.toSorted((a, b) => b.score - a.score || a.index - b.index);
}
