import { createHash } from "node:crypto";
import { newId } from "../domain/ids.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { KnowledgeBaseError } from "../errors.js";
import { type GoldenQuestion, GoldenQuestions } from "../resources/golden-questions.js";
import type { ListOptions } from "../resources/namespaces.js";
import { toTimestamp } from "../resources/records.js";
import { fetchPage } from "../storage/pagination.js";
import { ownerOf } from "../storage/records/access.js";
import type { EvaluationRecord, EvaluationSummaryRecord } from "../storage/records/evaluations.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, EmbeddingConfig, ListPage } from "../types.js";
import { preview } from "../util/preview.js";
import { listSchema } from "../validation/list-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { listActive } from "./active-questions.js";
import { evaluateJudged } from "./evaluate.js";
import type { EvaluatedNamespace } from "./evaluated-namespace.js";
import { type BaselineComparison, compareWithBaseline, describeUnpaired } from "./gate.js";
import { judgeAnswerable } from "./match-golden-answer.js";
import type { EvaluationReport, MeasureOptions, QuestionScores, SettingResult } from "./measure.js";
import { type EvaluationSetting, runEvaluationSchema } from "./settings.js";

/** The number of evaluations that a namespace keeps of each tenant, and of those without a tenant. */
const MAX_EVALUATIONS = 100;

/** Options of an evaluation of a namespace's golden questions. */
export interface RunEvaluationOptions extends MeasureOptions {
  /** What the evaluation is for, 1 to 200 characters. @default null */
  readonly name?: string | undefined;
  /** The search settings to measure. Every other setting is compared with the first. @default one per mode */
  readonly settings?: readonly EvaluationSetting[] | undefined;
}

/** A question that could not be evaluated. */
export interface SkippedQuestion {
  /** The key of the question. */
  readonly id: string;
  readonly reason: string;
}

/** An evaluation without the scores of single questions. */
export interface EvaluationSummary extends Omit<EvaluationReport, "results"> {
  readonly id: string;
  readonly namespaceId: string;
  /** `null` in the default partition. */
  readonly tenantId: string | null;
  readonly name: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The configuration of the embedding model that searches used, with masks instead of secrets. */
  readonly embeddingConfig: EmbeddingConfig;
  /** Questions whose answers name a document that the namespace no longer has. */
  readonly skipped: readonly SkippedQuestion[];
  readonly results: readonly Omit<SettingResult, "questions">[];
}

/** An evaluation of a namespace's golden questions. The `id` of a question is its key. */
export interface Evaluation extends Omit<EvaluationSummary, "results"> {
  readonly results: readonly SettingResult[];
}

/** Two evaluations compared question by question. */
export interface EvaluationComparison {
  /** For each setting with the same name, and each measure of both. */
  readonly comparisons: readonly BaselineComparison[];
  /** Settings and questions that only one of the evaluations has, and questions that were changed in between. */
  readonly notes: readonly string[];
}

type Report = Omit<EvaluationSummary, "id" | "namespaceId" | "tenantId" | "createdAt">;

/** What is stored of single questions, apart from the report. */
interface StoredScores {
  /** A digest of the text and answers of each question, by its key. */
  readonly contents: Readonly<Record<string, string>>;
  /** For each setting, in the order of the report's results. */
  readonly questions: readonly (readonly QuestionScores[])[];
}

/** The evaluations of the golden questions of one organization's namespaces. */
export class Evaluations {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /**
   * Measures how well search settings answer the `active` golden questions of a handle's own tenant, and keeps the result.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace, `conflict` if it has no active question
   * that can be evaluated or its embedding model was changed meanwhile, and the errors of `search`
   */
  async run(handle: EvaluatedNamespace, options: RunEvaluationOptions = {}): Promise<Evaluation> {
    const { signal, onProgress, ...input } = options;
    const { name, settings, measures, seed } = parseInput(runEvaluationSchema, input);
    const { engine, access } = await this.#resolve(handle.ref, signal);
    // Without a tenant, searches see only the default partition, but lists return the records of all tenants.
    const byTenant = await listActive(new GoldenQuestions(this.#resolve), handle.ref, signal);
    const stored = byTenant.get(handle.tenantId) ?? [];
    const { answerable, judges, skipped } = await judgeAnswerable(handle, stored, { signal });
    if (answerable.length === 0) throw nothingToEvaluate(handle.ref, skipped);
    const call = { settings: settings as readonly EvaluationSetting[] | undefined, measures, seed, signal, onProgress };
    const { results, ...statistics } = await evaluateJudged(handle, answerable, async () => judges, call);
    const { namespace: now } = (await this.#resolve(handle.ref, signal)).access;
    if (now.vectorSet !== access.namespace.vectorSet) throw modelChanged(handle.ref);
    const report: Report = {
      ...{ name, embeddingConfig: access.namespace.embeddingConfig, skipped, ...statistics },
      results: results.map(({ questions, ...result }) => result),
    };
    const scores: StoredScores = {
      contents: Object.fromEntries(answerable.map((question) => [question.id!, digestOf(question)])),
      questions: results.map(({ questions }) => questions),
    };
    const evaluation = {
      ...{ id: newId("eval"), ...ownerOf(access), createdAt: engine.now() },
      ...{ report: JSON.stringify(report), scores: JSON.stringify(scores) },
    };
    await engine.storage.evaluations.add({ evaluation, keep: MAX_EVALUATIONS });
    return toEvaluation(evaluation);
  }

  async list(namespace: string, options: ListOptions = {}): Promise<ListPage<EvaluationSummary>> {
    const { signal, ...input } = options;
    const request = parseInput(listSchema, input);
    const { engine, access } = await this.#resolve(namespace, signal);
    return fetchPage(
      `evaluations of ${access.namespaceId}`,
      request,
      (range) => engine.storage.evaluations.list({ ...ownerOf(access), range }),
      (row) => toSummary(row),
      (range) => engine.storage.evaluations.listSizes({ ...ownerOf(access), range }),
    );
  }

  /** @throws KnowledgeBaseError `not_found` */
  async get(namespace: string, id: string, options: CallOptions = {}): Promise<Evaluation> {
    return toEvaluation(await this.#read(namespace, id, options));
  }

  /**
   * Compares an evaluation with an earlier one, over the questions that both have with the same text and answers.
   * @throws KnowledgeBaseError `not_found`, `invalid_input` if they are of different tenants, or have no setting, question
   * and measure in common
   */
  async compare(
    namespace: string,
    id: string,
    baselineId: string,
    options: CallOptions = {},
  ): Promise<EvaluationComparison> {
    const [row, baselineRow] = [
      await this.#read(namespace, id, options),
      await this.#read(namespace, baselineId, options),
    ];
    if (row.tenantId !== baselineRow.tenantId) {
      const message = `is ${JSON.stringify(baselineId)}, which is of another tenant than ${id}`;
      const issues = [{ field: "baselineId", message }];
      throw new KnowledgeBaseError("invalid_input", `baselineId ${message}`, { issues });
    }
    const [now, before] = [readContents(row), readContents(baselineRow)];
    const isChanged = (key: string) => now.has(key) && before.has(key) && now.get(key) !== before.get(key);
    const evaluation = withoutQuestions(toEvaluation(row), isChanged);
    const baseline = withoutQuestions(toEvaluation(baselineRow), isChanged);
    const changed = [...now.keys()].filter(isChanged).length;
    return {
      comparisons: await compareWithBaseline(evaluation, baseline),
      notes: [
        ...describeUnpaired(evaluation, baseline),
        ...(changed === 0 ? [] : [`${changed} of the questions were changed since and are left out`]),
      ],
    };
  }

  /** Deletes and returns an evaluation. @throws KnowledgeBaseError `not_found` */
  async delete(namespace: string, id: string, options: CallOptions = {}): Promise<EvaluationSummary> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const row = await engine.storage.evaluations.delete({ ...ownerOf(access), id });
    if (!row) throw notFound("evaluation", id);
    return toSummary(row);
  }

  async #read(namespace: string, id: string, { signal }: CallOptions) {
    const { engine, access } = await this.#resolve(namespace, signal);
    const row = await engine.storage.evaluations.get({ ...ownerOf(access), id });
    if (!row) throw notFound("evaluation", id);
    return row;
  }
}

function nothingToEvaluate(ref: string, skipped: readonly SkippedQuestion[]): KnowledgeBaseError {
  const reason = skipped[0] ? `${preview(skipped[0].id)}: ${skipped[0].reason}` : "add some, or activate drafts";
  return new KnowledgeBaseError("conflict", `${ref} has no active golden question that can be evaluated: ${reason}`);
}

function modelChanged(ref: string): KnowledgeBaseError {
  const message = `The embedding model of ${ref} was changed during the evaluation: run it again.`;
  return new KnowledgeBaseError("conflict", message, { retryable: true });
}

function digestOf({ question, answers }: GoldenQuestion): string {
  return createHash("sha256")
    .update(JSON.stringify([question, answers]))
    .digest("base64url")
    .slice(0, 16);
}

function readContents({ scores }: Pick<EvaluationRecord, "scores">): ReadonlyMap<string, string> {
  return new Map(Object.entries((JSON.parse(scores) as StoredScores).contents));
}

function withoutQuestions(evaluation: Evaluation, isLeftOut: (key: string) => boolean): Evaluation {
  const results = evaluation.results.map(({ questions, ...result }) => ({
    ...result,
    questions: questions.filter(({ id }) => !isLeftOut(id)),
  }));
  return { ...evaluation, results };
}

function toSummary({ id, namespaceId, tenantId, report, createdAt }: Omit<EvaluationSummaryRecord, "seq">) {
  const parsed = JSON.parse(report) as Report;
  return { id, namespaceId, tenantId, createdAt: toTimestamp(createdAt), ...parsed } satisfies EvaluationSummary;
}

function toEvaluation(row: Omit<EvaluationRecord, "seq">): Evaluation {
  const { questions } = JSON.parse(row.scores) as StoredScores;
  const { results, ...summary } = toSummary(row);
  return { ...summary, results: results.map((result, index) => ({ ...result, questions: questions[index]! })) };
}
