import { KnowledgeBaseError } from "../errors.js";
import { z } from "../vendor/zod.js";
import type { ConfidenceInterval } from "./bootstrap.js";
import { compareScores, type EvaluationReport, type SettingResult } from "./measure.js";
import { type MeasureName, measureNamed } from "./measures.js";

/** Below this a difference is called significant. */
const SIGNIFICANT = 0.05;
/** What a measure may fall by unless it is said. */
export const DEFAULT_MAX_DROP = 0.01;

/** A least mean that was asked for. */
export interface Limit {
  /** Null for every setting. */
  readonly setting: string | null;
  readonly measure: MeasureName;
  readonly least: number;
}

/** Something that ends a build, in one sentence. */
export interface Failure {
  readonly name: string;
  readonly measure: MeasureName;
  readonly message: string;
}

/** A measure against that of an earlier evaluation, over the questions that both asked. */
export interface BaselineComparison {
  readonly name: string;
  readonly measure: MeasureName;
  readonly questions: number;
  readonly before: number;
  readonly now: number;
  /** Now less before. */
  readonly difference: ConfidenceInterval;
  /** Of the paired randomization test. */
  readonly p: number;
}

/** What is read of an earlier report. */
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

export type Baseline = z.output<typeof baselineSchema>;

/**
 * Limits as they stand in a command line: `nDCG@10=0.68` for every setting, `hybrid:nDCG@10=0.68` for one; several are separated by commas.
 * @throws KnowledgeBaseError `invalid_input`
 */
export function parseLimits(text: string): readonly Limit[] {
  return text.split(",").map((part) => {
    const [, setting = null, measure = "", least = ""] = /^(?:(.+):)?([^:=]+)=(.+)$/.exec(part.trim()) ?? [];
    const value = Number(least);
    if (least === "" || !(value >= 0 && value <= 1))
      throw new KnowledgeBaseError(
        "invalid_input",
        `${JSON.stringify(part)} must be a measure and a mean from 0 to 1, as in nDCG@10=0.68`,
      );
    measureNamed(measure);
    return { setting, measure, least: value };
  });
}

/** @throws KnowledgeBaseError `invalid_input` where a limit is for a setting that was not evaluated */
export function belowLimits({ results }: EvaluationReport, limits: readonly Limit[]): readonly Failure[] {
  return limits.flatMap(({ setting, measure, least }) => {
    const meant = results.filter(({ name }) => setting === null || name === setting);
    if (meant.length === 0) {
      const known = results.map(({ name }) => name).join(", ");
      throw new KnowledgeBaseError("invalid_input", `there is no setting ${setting}; evaluated: ${known}`);
    }
    return meant
      .map(({ name, measures }) => ({ name, mean: measures[measure]!.mean }))
      .filter(({ mean }) => mean < least)
      .map(({ name, mean }) => {
        const message = `${name}: ${measure} is ${shown(mean)}, below the ${shown(least)} that is asked for by ${shown(least - mean)}`;
        return { name, measure, message };
      });
  });
}

/**
 * Pairs each setting's questions with those of the same setting in an earlier report.
 * @throws KnowledgeBaseError `invalid_input` where the two have no setting, no question or no measure in common
 */
export async function compareWithBaseline(
  { results, statistics }: EvaluationReport,
  baseline: Baseline,
): Promise<readonly BaselineComparison[]> {
  const comparisons: BaselineComparison[] = [];
  for (const result of results) {
    const earlier = baseline.results.find(({ name }) => name === result.name);
    if (earlier) comparisons.push(...(await compareResult(result, earlier, statistics.seed)));
  }
  if (comparisons.length > 0) return comparisons;
  throw new KnowledgeBaseError(
    "invalid_input",
    "the baseline has no setting with the same name, questions and measures",
  );
}

async function compareResult(result: SettingResult, earlier: Baseline["results"][number], seed: number) {
  const before = new Map(earlier.questions.map(({ id, scores }) => [id, scores]));
  const comparisons: BaselineComparison[] = [];
  for (const measure of Object.keys(result.measures)) {
    const pairs = result.questions.flatMap(({ id, scores }) => {
      const value = before.get(id)?.[measure];
      return value === undefined ? [] : [{ now: scores[measure]!, before: value }];
    });
    if (pairs.length === 0) continue;
    const [now, then] = [pairs.map((pair) => pair.now), pairs.map((pair) => pair.before)];
    const { difference, p } = await compareScores(now, then, seed);
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const means = { before: mean(then), now: mean(now) };
    comparisons.push({ name: result.name, measure, questions: pairs.length, ...means, difference, p });
  }
  return comparisons;
}

/** Falls that are significant, and those of more than `maxDrop` (0 to 1) whether they are or not: a few questions prove little. */
export function fallen(comparisons: readonly BaselineComparison[], maxDrop: number): readonly Failure[] {
  return comparisons
    .filter(({ difference, p }) => difference.mean < 0 && (p < SIGNIFICANT || -difference.mean > maxDrop))
    .map(({ name, measure, questions, before, now, difference, p }) => {
      const fall = `${name}: ${measure} fell by ${shown(-difference.mean)}, from ${shown(before)} to ${shown(now)}`;
      const weight =
        p < SIGNIFICANT
          ? `which is significant (p = ${shown(p)})`
          : `which is not significant (p = ${shown(p)}) but more than the ${shown(maxDrop)} that is allowed`;
      return { name, measure, message: `${fall} over ${questions} questions, ${weight}` };
    });
}

/** What of either side could not be paired, in sentences. */
export function unpaired({ results }: EvaluationReport, baseline: Baseline): readonly string[] {
  const notes: string[] = [];
  for (const { name, questions } of results) {
    const earlier = baseline.results.find((other) => other.name === name);
    if (!earlier) notes.push(`${name} is not in the baseline`);
    else {
      const before = new Set(earlier.questions.map(({ id }) => id));
      const now = new Set(questions.map(({ id }) => id));
      const added = [...now].filter((id) => !before.has(id)).length;
      const gone = [...before].filter((id) => !now.has(id)).length;
      if (added > 0) notes.push(`${name}: not in the baseline: ${added} of the questions`);
      if (gone > 0) notes.push(`${name}: not asked: ${gone} of the baseline's questions`);
    }
  }
  const evaluated = new Set(results.map(({ name }) => name));
  for (const { name } of baseline.results)
    if (!evaluated.has(name)) notes.push(`${name} of the baseline was not evaluated`);
  return notes;
}

function shown(value: number): string {
  return String(Number(value.toFixed(4)));
}
