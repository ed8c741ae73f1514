import { KnowledgeBaseError } from "../errors.js";
import { z } from "../vendor/zod.js";
import type { ConfidenceInterval } from "./bootstrap.js";
import { compareScores, type EvaluationReport, type QuestionScores, type SettingResult } from "./measure.js";
import { type MeasureName, mean, parseMeasure } from "./metrics.js";

/** Differences with a p-value below this are significant. */
const SIGNIFICANCE_LEVEL = 0.05;
/** The default for the largest allowed drop that is not significant. */
export const DEFAULT_MAX_DROP = 0.01;

/** A required minimum mean. */
export interface Limit {
  /** The name of the setting; `null` applies the limit to every setting. */
  readonly setting: string | null;
  readonly measure: MeasureName;
  readonly minimum: number;
}

/** A failed requirement, described in one sentence. */
export interface Failure {
  readonly name: string;
  readonly measure: MeasureName;
  readonly message: string;
}

/** A measure compared with an earlier evaluation, over the questions of both. */
export interface BaselineComparison {
  readonly name: string;
  readonly measure: MeasureName;
  readonly questions: number;
  readonly before: number;
  readonly now: number;
  /** `now` minus `before`. */
  readonly difference: ConfidenceInterval;
  /** The p-value of the paired randomization test. */
  readonly p: number;
}

/** Validates the part of an earlier report that a comparison needs. */
export const baselineSchema = z.looseObject({
  results: z
    .array(
      z.looseObject({
        name: z.string(),
        questions: z.array(z.looseObject({ id: z.string(), scores: z.record(z.string(), z.number()) })),
      }),
    )
    .min(1),
});

/** The part of an earlier report that a comparison needs. */
export interface Baseline {
  readonly results: readonly { readonly name: string; readonly questions: readonly QuestionScores[] }[];
}

/**
 * Parses limits separated by commas: `nDCG@10=0.68` for every setting, `hybrid:nDCG@10=0.68` for one.
 * @throws KnowledgeBaseError `invalid_input`
 */
export function parseLimits(text: string): readonly Limit[] {
  return text.split(",").map((part) => {
    const [, setting = null, measure = "", number = ""] = /^(?:(.+):)?([^:=]+)=(.+)$/.exec(part.trim()) ?? [];
    const minimum = Number(number);
    if (number === "" || !(minimum >= 0 && minimum <= 1))
      throw new KnowledgeBaseError(
        "invalid_input",
        `${JSON.stringify(part)} must be a measure and a mean from 0 to 1, as in nDCG@10=0.68`,
      );
    parseMeasure(measure);
    return { setting, measure, minimum };
  });
}

/**
 * Finds the means that are below a limit.
 * @throws KnowledgeBaseError `invalid_input` if a limit is for a setting that was not evaluated
 */
export function findBelowLimits({ results }: EvaluationReport, limits: readonly Limit[]): readonly Failure[] {
  return limits.flatMap(({ setting, measure, minimum }) => {
    const matching = results.filter(({ name }) => setting === null || name === setting);
    if (matching.length === 0) {
      const known = results.map(({ name }) => name).join(", ");
      throw new KnowledgeBaseError("invalid_input", `there is no setting ${setting}; evaluated: ${known}`);
    }
    return matching
      .map(({ name, measures }) => ({ name, mean: measures[measure]!.mean }))
      .filter(({ mean }) => mean < minimum)
      .map(({ name, mean }) => {
        const gap = `${formatNumber(minimum - mean)} below the minimum of ${formatNumber(minimum)}`;
        return { name, measure, message: `${name}: ${measure} is ${formatNumber(mean)}, ${gap}` };
      });
  });
}

/** The part of a report that is compared with an earlier one. */
interface ComparedResults extends Pick<EvaluationReport, "results"> {
  readonly statistics: Pick<EvaluationReport["statistics"], "seed">;
}

/**
 * Compares each setting with the same setting of an earlier report, question by question.
 * @throws KnowledgeBaseError `invalid_input` if the reports have no setting, question or measure in common
 */
export async function compareWithBaseline(
  { results, statistics }: ComparedResults,
  baseline: Baseline,
): Promise<readonly BaselineComparison[]> {
  const comparisons: BaselineComparison[] = [];
  for (const result of results) {
    const baselineResult = baseline.results.find(({ name }) => name === result.name);
    if (baselineResult) comparisons.push(...(await compareResult(result, baselineResult, statistics.seed)));
  }
  if (comparisons.length > 0) return comparisons;
  throw new KnowledgeBaseError(
    "invalid_input",
    "the baseline has no setting with the same name, questions and measures",
  );
}

async function compareResult(result: SettingResult, baseline: Baseline["results"][number], seed: number) {
  const baselineScores = new Map(baseline.questions.map(({ id, scores }) => [id, scores]));
  const comparisons: BaselineComparison[] = [];
  for (const measure of Object.keys(result.measures)) {
    const pairs = result.questions.flatMap(({ id, scores }) => {
      const value = baselineScores.get(id)?.[measure];
      return value === undefined ? [] : [{ now: scores[measure]!, before: value }];
    });
    if (pairs.length === 0) continue;
    const [now, before] = [pairs.map((pair) => pair.now), pairs.map((pair) => pair.before)];
    const { difference, p } = await compareScores(now, before, seed);
    const means = { before: mean(before), now: mean(now) };
    comparisons.push({ name: result.name, measure, questions: pairs.length, ...means, difference, p });
  }
  return comparisons;
}

/**
 * Finds drops that are significant or above `maxDrop` (0 to 1), since large drops aren't significant with few
 * questions, and differences that are no finite numbers, which could hide a drop.
 */
export function findDrops(comparisons: readonly BaselineComparison[], maxDrop: number): readonly Failure[] {
  return comparisons
    .filter(({ difference: { mean }, p }) => {
      return !Number.isFinite(mean) || (mean < 0 && (p < SIGNIFICANCE_LEVEL || -mean > maxDrop));
    })
    .map(({ name, measure, questions, before, now, difference, p }) => {
      if (!Number.isFinite(difference.mean))
        return {
          name,
          measure,
          message: `${name}: ${measure} can't be compared: the difference is ${difference.mean}`,
        };
      const drop = `fell by ${formatNumber(-difference.mean)}, from ${formatNumber(before)} to ${formatNumber(now)}`;
      const significance =
        p < SIGNIFICANCE_LEVEL
          ? `which is significant (p = ${formatNumber(p)})`
          : `which is not significant (p = ${formatNumber(p)}) but more than the allowed ${formatNumber(maxDrop)}`;
      return { name, measure, message: `${name}: ${measure} ${drop} over ${questions} questions, ${significance}` };
    });
}

/** Describes settings and questions that only one of the reports has. */
export function describeUnpaired({ results }: EvaluationReport, baseline: Baseline): readonly string[] {
  const notes: string[] = [];
  for (const { name, questions } of results) {
    const baselineResult = baseline.results.find((other) => other.name === name);
    if (!baselineResult) notes.push(`${name} is not in the baseline`);
    else {
      const before = new Set(baselineResult.questions.map(({ id }) => id));
      const now = new Set(questions.map(({ id }) => id));
      const added = [...now].filter((id) => !before.has(id)).length;
      const removed = [...before].filter((id) => !now.has(id)).length;
      if (added > 0) notes.push(`${name}: ${added} of the questions are not in the baseline`);
      if (removed > 0) notes.push(`${name}: ${removed} of the baseline's questions were not evaluated`);
    }
  }
  const evaluated = new Set(results.map(({ name }) => name));
  for (const { name } of baseline.results)
    if (!evaluated.has(name)) notes.push(`${name} is in the baseline but was not evaluated`);
  return notes;
}

function formatNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}
