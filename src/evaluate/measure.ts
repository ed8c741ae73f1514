import type { CallOptions } from "../types.js";
import { bootstrap, CONFIDENCE, type ConfidenceInterval, RESAMPLES } from "./bootstrap.js";
import type { AnyHit } from "./evaluated-namespace.js";
import { DEFAULT_MEASURES, type MeasureName, measureNamed } from "./measures.js";
import { percentile } from "./metrics.js";
import { PERMUTATIONS, randomizationTest } from "./randomization-test.js";
import { type Judge, rankingOf } from "./relevance-judge.js";
import type { EvaluationSetting } from "./settings.js";

/** How far an evaluation has come. */
export interface EvaluationProgress {
  /** `ingest`, or the name of a setting. */
  readonly phase: string;
  /** Documents or questions. */
  readonly done: number;
  readonly total: number;
}

export interface MeasureOptions extends CallOptions {
  /** `nDCG@k`, `recall@k` or `MRR@k`, with a k of 1 to 100. @default nDCG@10, recall@10, recall@100 and MRR@10 */
  readonly measures?: readonly MeasureName[] | undefined;
  /** Of the resampling; the same seed gives the same intervals and the same p. @default 1 */
  readonly seed?: number | undefined;
  readonly onProgress?: ((progress: EvaluationProgress) => void) | undefined;
}

/** What one question measured. */
export interface QuestionScores {
  readonly id: string;
  readonly scores: Readonly<Record<MeasureName, number>>;
}

/** The quality of one setting. */
export interface SettingResult {
  readonly name: string;
  /** As it was given. */
  readonly setting: EvaluationSetting;
  /** Means over all questions, 0 to 1, with 95 % intervals. */
  readonly measures: Readonly<Record<MeasureName, ConfidenceInterval>>;
  /** Of one search, as the caller waits for it. */
  readonly searchMs: { readonly p50: number; readonly p95: number; readonly max: number };
  readonly questions: readonly QuestionScores[];
}

/** One setting against another over the same questions. */
export interface Comparison {
  readonly name: string;
  readonly to: string;
  readonly measure: MeasureName;
  /** Mean of the first less that of the second, with its 95 % interval. */
  readonly difference: ConfidenceInterval;
  /** Of the paired randomization test; not corrected for how many comparisons are made. */
  readonly p: number;
}

export interface EvaluationReport {
  /** How many. */
  readonly questions: number;
  readonly results: readonly SettingResult[];
  /** Every other setting against the first. */
  readonly comparisons: readonly Comparison[];
  /** How intervals and p were found. */
  readonly statistics: {
    readonly confidence: number;
    readonly resamples: number;
    readonly permutations: number;
    readonly seed: number;
  };
}

/** A setting with all that measuring it takes. */
export interface Candidate {
  readonly setting: EvaluationSetting;
  search(question: string, options: CallOptions & { readonly topK: number }): Promise<readonly AnyHit[]>;
  /** In the order of the questions. */
  readonly judges: readonly Judge[];
}

/** Hits that are looked at: the depth of the deepest measure. */
const DEPTH = 100;

/** Asks every question under every setting, and tells what the rankings are worth. */
export async function measure(
  candidates: readonly Candidate[],
  questions: readonly { readonly id: string; readonly text: string }[],
  { measures = DEFAULT_MEASURES, seed = 1, signal, onProgress }: MeasureOptions,
): Promise<EvaluationReport> {
  const named = [...new Set(measures)].map((name) => ({ name, of: measureNamed(name) }));
  const results: SettingResult[] = [];
  for (const { setting, search, judges } of candidates) {
    const times: number[] = [];
    const scored: QuestionScores[] = [];
    for (const [index, { id, text }] of questions.entries()) {
      const started = performance.now();
      const hits = await search(text, { topK: setting.topK ?? DEPTH, signal });
      times.push(performance.now() - started);
      const judge = judges[index]!;
      const ranking = rankingOf(hits, judge);
      scored.push({
        id,
        scores: Object.fromEntries(named.map(({ name, of }) => [name, of(ranking, judge.judgements)])),
      });
      onProgress?.({ phase: setting.name, done: index + 1, total: questions.length });
    }
    const estimates: Record<MeasureName, ConfidenceInterval> = {};
    for (const { name } of named) estimates[name] = await bootstrap(valuesOf(scored, name), seed);
    results.push({
      name: setting.name,
      setting,
      measures: estimates,
      searchMs: { p50: percentile(times, 0.5), p95: percentile(times, 0.95), max: Math.max(0, ...times) },
      questions: scored,
    });
  }
  return {
    questions: questions.length,
    results,
    comparisons: await compareWithFirst(results, { names: named.map(({ name }) => name), seed }),
    statistics: { confidence: CONFIDENCE, resamples: RESAMPLES, permutations: PERMUTATIONS, seed },
  };
}

async function compareWithFirst(
  [first, ...others]: readonly SettingResult[],
  { names, seed }: { names: readonly MeasureName[]; seed: number },
): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const other of others) {
    for (const name of names) {
      comparisons.push({
        name: other.name,
        to: first!.name,
        measure: name,
        ...(await compareScores(valuesOf(other.questions, name), valuesOf(first!.questions, name), seed)),
      });
    }
  }
  return comparisons;
}

/** Two lists of values of the same questions in the same order, the first less the second. */
export async function compareScores(
  values: readonly number[],
  others: readonly number[],
  seed: number,
): Promise<{ readonly difference: ConfidenceInterval; readonly p: number }> {
  const differences = values.map((value, index) => value - others[index]!);
  return { difference: await bootstrap(differences, seed), p: await randomizationTest(differences, seed) };
}

function valuesOf(questions: readonly QuestionScores[], measure: MeasureName): readonly number[] {
  return questions.map(({ scores }) => scores[measure]!);
}
