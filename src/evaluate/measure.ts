import type { CallOptions } from "../types.js";
import { bootstrap, CONFIDENCE, type ConfidenceInterval, RESAMPLES } from "./bootstrap.js";
import type { AnyHit } from "./evaluated-namespace.js";
import { DEFAULT_MEASURES, type MeasureName, parseMeasure, quantile } from "./metrics.js";
import { PERMUTATIONS, randomizationTest } from "./randomization-test.js";
import { type RelevanceJudge, rankKeys } from "./relevance-judge.js";
import type { EvaluationSetting } from "./settings.js";

/** Progress of an evaluation. */
export interface EvaluationProgress {
  /** `ingest`, or the name of the setting whose searches are measured. */
  readonly phase: string;
  /** The number of documents or questions so far. */
  readonly done: number;
  readonly total: number;
}

export interface MeasureOptions extends CallOptions {
  /** `nDCG@k`, `recall@k` or `MRR@k`, with a k of 1 to 100. @default nDCG@10, recall@10, recall@100 and MRR@10 */
  readonly measures?: readonly MeasureName[] | undefined;
  /** Seed of the resampling; the same seed gives the same intervals and p-values. @default 1 */
  readonly seed?: number | undefined;
  readonly onProgress?: ((progress: EvaluationProgress) => void) | undefined;
}

/** The scores of one question. */
export interface QuestionScores {
  readonly id: string;
  readonly scores: Readonly<Record<MeasureName, number>>;
}

/** The quality of one setting. */
export interface SettingResult {
  readonly name: string;
  /** The setting as the caller passed it. */
  readonly setting: EvaluationSetting;
  /** Means over all questions, 0 to 1, with 95 % confidence intervals. */
  readonly measures: Readonly<Record<MeasureName, ConfidenceInterval>>;
  /** Latency of one search in milliseconds, as the caller sees it. */
  readonly searchMs: { readonly p50: number; readonly p95: number; readonly max: number };
  readonly questions: readonly QuestionScores[];
}

/** One setting compared with another over the same questions. */
export interface Comparison {
  readonly name: string;
  readonly to: string;
  readonly measure: MeasureName;
  /** The mean of `name` minus the mean of `to`, with its 95 % confidence interval. */
  readonly difference: ConfidenceInterval;
  /** The p-value of the paired randomization test, not corrected for multiple comparisons. */
  readonly p: number;
}

export interface EvaluationReport {
  /** The number of questions. */
  readonly questions: number;
  readonly results: readonly SettingResult[];
  /** Every other setting compared with the first. */
  readonly comparisons: readonly Comparison[];
  /** The parameters of the confidence intervals and significance tests. */
  readonly statistics: {
    readonly confidence: number;
    readonly resamples: number;
    readonly permutations: number;
    readonly seed: number;
  };
}

/** A setting with its search and its relevance judges. */
export interface Candidate {
  readonly setting: EvaluationSetting;
  search(question: string, options: CallOptions & { readonly topK: number }): Promise<readonly AnyHit[]>;
  /** One judge per question, in the order of the questions. */
  readonly judges: readonly RelevanceJudge[];
}

/** The default number of hits per search: the depth of the deepest measure. */
const MAX_DEPTH = 100;

/** Searches with every setting for every question, and scores the rankings. */
export async function measure(
  candidates: readonly Candidate[],
  questions: readonly { readonly id: string; readonly text: string }[],
  { measures = DEFAULT_MEASURES, seed = 1, signal, onProgress }: MeasureOptions,
): Promise<EvaluationReport> {
  const scorers = [...new Set(measures)].map((name) => ({ name, score: parseMeasure(name) }));
  const results: SettingResult[] = [];
  for (const { setting, search, judges } of candidates) {
    const durationsMs: number[] = [];
    const scored: QuestionScores[] = [];
    for (const [index, { id, text }] of questions.entries()) {
      const startTime = performance.now();
      const hits = await search(text, { topK: setting.topK ?? MAX_DEPTH, signal });
      durationsMs.push(performance.now() - startTime);
      const judge = judges[index]!;
      const ranking = rankKeys(hits, judge);
      scored.push({
        id,
        scores: Object.fromEntries(scorers.map(({ name, score }) => [name, score(ranking, judge.judgements)])),
      });
      onProgress?.({ phase: setting.name, done: index + 1, total: questions.length });
    }
    const estimates: Record<MeasureName, ConfidenceInterval> = {};
    for (const { name } of scorers) estimates[name] = await bootstrap(scoresOf(scored, name), seed);
    results.push({
      name: setting.name,
      setting,
      measures: estimates,
      searchMs: { p50: quantile(durationsMs, 0.5), p95: quantile(durationsMs, 0.95), max: Math.max(0, ...durationsMs) },
      questions: scored,
    });
  }
  return {
    questions: questions.length,
    results,
    comparisons: await compareWithFirst(results, { names: scorers.map(({ name }) => name), seed }),
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
        ...(await compareScores(scoresOf(other.questions, name), scoresOf(first!.questions, name), seed)),
      });
    }
  }
  return comparisons;
}

/** Compares the scores of two settings for the same questions. The difference is `values` minus `others`. */
export async function compareScores(
  values: readonly number[],
  others: readonly number[],
  seed: number,
): Promise<{ readonly difference: ConfidenceInterval; readonly p: number }> {
  const differences = values.map((value, index) => value - others[index]!);
  return { difference: await bootstrap(differences, seed), p: await randomizationTest(differences, seed) };
}

function scoresOf(questions: readonly QuestionScores[], measure: MeasureName): readonly number[] {
  return questions.map(({ scores }) => scores[measure]!);
}
