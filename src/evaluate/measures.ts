import { KnowledgeBaseError } from "../errors.js";
import { type Judgements, ndcg, recall, reciprocalRank } from "./metrics.js";

/** `nDCG@k`, `recall@k` or `MRR@k` with a depth of 1 to 100, as in `nDCG@10`. */
export type MeasureName = string;

/** What is measured unless other names are given. */
export const DEFAULT_MEASURES: readonly MeasureName[] = ["nDCG@10", "recall@10", "recall@100", "MRR@10"];

type Measure = (ranking: readonly string[], judgements: Judgements) => number;

const KINDS = { nDCG: ndcg, recall, MRR: reciprocalRank };
const NAME = /^(nDCG|recall|MRR)@([1-9]\d?|100)$/;

/** @throws KnowledgeBaseError `invalid_input` for a name that is none */
export function measureNamed(name: MeasureName): Measure {
  const [, kind, depth] = NAME.exec(name) ?? [];
  if (kind !== undefined) return (ranking, judged) => KINDS[kind as keyof typeof KINDS](ranking, judged, Number(depth));
  const message = `is ${JSON.stringify(name)}; it must be nDCG@k, recall@k or MRR@k with a k of 1 to 100, as in nDCG@10`;
  throw new KnowledgeBaseError("invalid_input", `measures ${message}`, { issues: [{ field: "measures", message }] });
}
