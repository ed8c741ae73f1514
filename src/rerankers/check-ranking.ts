import { KnowledgeBaseError } from "../errors.js";
import type { RankedPassage } from "../interfaces/reranker.js";

/**
 * Validates a service's ranking and returns it sorted, best first, with ties in the order of the request.
 *
 * @param sentCount Number of passages sent.
 * @param requestedCount Number of passages requested.
 * @throws KnowledgeBaseError `provider_failed` for a wrong number of passages, an unknown or repeated passage, and a
 * score that is not a number from 0 to 1
 */
export function checkRanking(
  ranking: readonly RankedPassage[],
  {
    model,
    sentCount,
    requestedCount,
  }: { readonly model: string; readonly sentCount: number; readonly requestedCount: number },
): RankedPassage[] {
  const invalidRanking = (problem: string) =>
    new KnowledgeBaseError("provider_failed", `The reranker ${model} returned ${problem}.`);
  if (ranking.length !== requestedCount)
    throw invalidRanking(`${ranking.length} passages instead of ${requestedCount}`);
  const seen = new Set<number>();
  for (const { index, score } of ranking) {
    if (!Number.isInteger(index) || index < 0 || index >= sentCount)
      throw invalidRanking(`passage ${index}, but was given ${sentCount}`);
    if (seen.has(index)) throw invalidRanking(`passage ${index} twice`);
    if (!(score >= 0 && score <= 1)) throw invalidRanking(`a score of ${score}, which is not from 0 to 1`);
    seen.add(index);
  }
  return ranking.toSorted((a, b) => b.score - a.score || a.index - b.index);
}
