import { KnowledgeBaseError } from "../errors.js";
import type { RankedPassage } from "../interfaces/reranker.js";

/**
 * A service's ranking, best first, passages of one score in the order in which they were given.
 *
 * @param given How many passages were judged.
 * @param wanted How many of them it was to return.
 * @throws KnowledgeBaseError `provider_failed` for too few or too many, for a passage that was not given or comes twice, and for a score
 * that is no number from 0 to 1: nothing is mended
 */
export function checkRanking(
  ranking: readonly RankedPassage[],
  { model, given, wanted }: { readonly model: string; readonly given: number; readonly wanted: number },
): RankedPassage[] {
  const refuse = (what: string) => new KnowledgeBaseError("provider_failed", `The reranker ${model} gave ${what}.`);
  if (ranking.length !== wanted) throw refuse(`${ranking.length} passages where ${wanted} were asked for`);
  const seen = new Set<number>();
  for (const { index, score } of ranking) {
    if (!Number.isInteger(index) || index < 0 || index >= given) throw refuse(`passage ${index} of ${given}`);
    if (seen.has(index)) throw refuse(`passage ${index} twice`);
    if (!(score >= 0 && score <= 1)) throw refuse(`a score of ${score}, which is not within 0 and 1`);
    seen.add(index);
  }
  return ranking.toSorted((a, b) => b.score - a.score || a.index - b.index);
}
