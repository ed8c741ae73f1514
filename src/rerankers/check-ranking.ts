import { KnowledgeBaseError } from "../errors.js";
import type { RankedPassage } from "../interfaces/reranker.js";

/**
 * Validates a service's ranking and sorts it, best first, ties in the order of the request.
 *
 * @param sent Number of passages sent.
 * @param requested Number of passages requested.
 * @throws KnowledgeBaseError `provider_failed` for a wrong number of passages, an unknown or repeated passage, and a
 * score that is not a number from 0 to 1
 */
export function checkRanking(
  ranking: readonly RankedPassage[],
  { model, sent, requested }: { readonly model: string; readonly sent: number; readonly requested: number },
): RankedPassage[] {
  const invalidRanking = (problem: string) =>
    new KnowledgeBaseError("provider_failed", `The reranker ${model} returned ${problem}.`);
  if (ranking.length !== requested) throw invalidRanking(`${ranking.length} passages instead of ${requested}`);
  const seen = new Set<number>();
  for (const { index, score } of ranking) {
    if (!Number.isInteger(index) || index < 0 || index >= sent) throw invalidRanking(`passage ${index} of ${sent}`);
    if (seen.has(index)) throw invalidRanking(`passage ${index} twice`);
    if (!(score >= 0 && score <= 1)) throw invalidRanking(`a score of ${score}, which is not from 0 to 1`);
    seen.add(index);
  }
  return ranking.toSorted((a, b) => b.score - a.score || a.index - b.index);
}
