import { requireCompleteSet } from "../engine/check-vector-set.js";
import { otherSetOf } from "../engine/namespace-drivers.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { KnowledgeBaseError } from "../errors.js";
import { type Click, Clicks } from "../resources/clicks.js";
import { type GoldenQuestion, GoldenQuestions } from "../resources/golden-questions.js";
import { ownerOf } from "../storage/records/access.js";
import type { CallOptions, EmbeddingConfig, VectorStoreConfig } from "../types.js";
import { getOrCreate } from "../util/get-or-create.js";
import { parseInput } from "../validation/parse-input.js";
import { listActive } from "./active-questions.js";
import type { ConfidenceInterval } from "./bootstrap.js";
import { compareModels, type ModelHandles, type TenantQuestions } from "./compare-models.js";
import { compareRankings, type RankingComparison } from "./compare-rankings.js";
import type { SkippedQuestion } from "./evaluations.js";
import { judgeAnswerable } from "./match-golden-answer.js";
import { type MeasureName, parseMeasure } from "./metrics.js";
import { questionsFromClicks } from "./questions-from-clicks.js";
import { checkSettings, type EvaluationSetting, evaluateReembeddingSchema, refuseOtherContent } from "./settings.js";

/** How both models of a namespace are compared. */
export interface EvaluateReembeddingOptions extends CallOptions {
  /** The search settings to compare, at most 20, without `namespace` and `embedding`. @default one with the defaults of a search */
  readonly settings?: readonly EvaluationSetting[] | undefined;
  /** Of questions with known answers. @default nDCG@10, recall@10, recall@100 and MRR@10 */
  readonly measures?: readonly MeasureName[] | undefined;
  /** The maximum number of sampled queries to search for, 0 to 1000. @default 200 */
  readonly queries?: number | undefined;
  /** Seed of the resampling. @default 1 */
  readonly seed?: number | undefined;
}

/** The model and the store of a set of vectors, with masks instead of secrets. */
export interface EvaluatedVectors {
  readonly embeddingConfig: EmbeddingConfig;
  readonly vectorStoreConfig: VectorStoreConfig;
}

/** A measure of both models, over the same questions. */
export interface ModelComparison {
  /** The name of the setting. */
  readonly name: string;
  readonly measure: MeasureName;
  /** The means, 0 to 1. */
  readonly current: number;
  readonly other: number;
  /** `other` minus `current`, with its 95 % confidence interval. */
  readonly difference: ConfidenceInterval;
  /** The p-value of the paired randomization test, not corrected for multiple comparisons. */
  readonly p: number;
}

/** Both models compared by questions with known answers. */
export interface JudgedComparison {
  /** The number of questions. */
  readonly questions: number;
  /** Questions whose answers name a document that the namespace no longer has. */
  readonly skipped: readonly SkippedQuestion[];
  /** Empty without questions. */
  readonly comparisons: readonly ModelComparison[];
}

/** The model that searches use compared with the other one of a namespace. */
export interface ReembeddingEvaluation {
  /** What searches use. */
  readonly current: EvaluatedVectors;
  /** What they don't use: the new vectors, or after the cut-over the old ones. */
  readonly other: EvaluatedVectors;
  /** By the `active` golden questions. */
  readonly golden: JudgedComparison;
  /** By the questions that clicks answer, see `goldenQuestions.fromClicks`. Clicks favour the model that was in use. */
  readonly clicked: JudgedComparison;
  /** By a sample of the queries that readers asked, whose right answers are not known. */
  readonly sample: {
    /** The number of queries that were searched for, each as often as it was asked. */
    readonly queries: number;
    /** One for each setting; empty without queries. */
    readonly comparisons: readonly RankingComparison[];
  };
}

type JudgeOptions = CallOptions & {
  readonly settings: readonly EvaluationSetting[];
  readonly measures: readonly MeasureName[];
  readonly seed: number;
};

/**
 * Compares the two models of a namespace by golden questions, clicks and a sample of the queries of readers: of all tenants,
 * or of one if the resolver is of one.
 *
 * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace or without another model, `conflict` while the
 * first vectors are being written, if there is nothing to compare them by, or (then retryable) if passages lack vectors of the
 * other model or either one is replaced meanwhile, and the errors of `search`
 */
export async function evaluateReembedding(
  resolve: NamespaceResolver,
  ref: string,
  handles: ModelHandles,
  { signal, ...input }: EvaluateReembeddingOptions = {},
): Promise<ReembeddingEvaluation> {
  const { measures, queries, seed, ...given } = parseInput(evaluateReembeddingSchema, input);
  for (const measure of measures) parseMeasure(measure);
  const settings = checkSettings(given.settings as readonly EvaluationSetting[]);
  refuseOtherContent(settings, "an evaluation of a re-embedding");
  const { engine, access } = await resolve(ref, signal);
  const { namespaceId, namespace } = access;
  const other = await otherSetOf(engine, namespaceId);
  if (other.state === "running") {
    const message = "The models can be compared once all passages are embedded: wait until the re-embedding is ready.";
    throw new KnowledgeBaseError("conflict", message);
  }
  await requireCompleteSet(engine, access, other, { signal });
  const call = { settings, measures, seed, signal };
  const active = await listActive(new GoldenQuestions(resolve), ref, signal);
  const clicked = await listClicked(new Clicks(resolve), ref, handles, signal);
  const sampling = { ...ownerOf(access), now: engine.now(), limit: queries };
  const sample = await engine.storage.sampledQueries.list(sampling, { signal });
  if (active.size + clicked.size + sample.length === 0) throw nothingToCompareBy(ref);
  const report: ReembeddingEvaluation = {
    current: toVectors(namespace),
    other: toVectors(other),
    golden: await compareJudged(handles, active, call),
    clicked: await compareJudged(handles, clicked, call),
    sample: {
      queries: sample.length,
      comparisons: sample.length === 0 ? [] : await compareRankings(handles, sample, call),
    },
  };
  // A cut-over swaps the numbers of both sets.
  const now = await engine.storage.reembeddings.get({ namespaceId });
  if (now?.vectorSet !== other.vectorSet || now.state !== other.state) {
    const message = `The vectors of ${ref} were changed during the evaluation: run it again.`;
    throw new KnowledgeBaseError("conflict", message, { retryable: true });
  }
  return report;
}

function toVectors({ embeddingConfig, vectorStoreConfig }: EvaluatedVectors): EvaluatedVectors {
  return { embeddingConfig, vectorStoreConfig };
}

/** Returns the questions of each tenant that clicks answer. */
async function listClicked(
  clicks: Clicks,
  ref: string,
  handles: ModelHandles,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string | null, readonly GoldenQuestion[]>> {
  const clicksByTenant = new Map<string | null, Click[]>();
  for await (const click of clicks.iterate(ref, { order: "asc", perPage: 100, signal }))
    getOrCreate(clicksByTenant, click.tenantId, () => []).push(click);
  const byTenant = new Map<string | null, readonly GoldenQuestion[]>();
  for (const [tenantId, ofTenant] of clicksByTenant) {
    const { documents } = handles.current(tenantId);
    const iterate = async function* () {
      yield* ofTenant;
    };
    const questions = await questionsFromClicks({ tenantId, documents, clicks: { iterate } }, { signal });
    if (questions.length > 0) byTenant.set(tenantId, questions);
  }
  return byTenant;
}

async function compareJudged(
  handles: ModelHandles,
  questions: ReadonlyMap<string | null, readonly GoldenQuestion[]>,
  call: JudgeOptions,
): Promise<JudgedComparison> {
  const byTenant: TenantQuestions[] = [];
  for (const [tenantId, ofTenant] of questions)
    byTenant.push({ tenantId, ...(await judgeAnswerable(handles.current(tenantId), ofTenant, call)) });
  const count = byTenant.reduce((sum, { answerable }) => sum + answerable.length, 0);
  const compared = count === 0 ? [] : await compareModels(handles, byTenant, call);
  return {
    questions: count,
    skipped: byTenant.flatMap(({ skipped }) => skipped),
    comparisons: compared.map(({ name, measure, before, now, difference, p }) => {
      return { name, measure, current: before, other: now, difference, p };
    }),
  };
}

function nothingToCompareBy(ref: string): KnowledgeBaseError {
  const message =
    `${ref} has nothing to compare its models by: add golden questions, report clicks, or keep a sample of queries with ` +
    "the option retention.sampledQueryDays.";
  return new KnowledgeBaseError("conflict", message);
}
