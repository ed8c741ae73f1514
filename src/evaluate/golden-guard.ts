import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { KnowledgeBaseError } from "../errors.js";
import { type GoldenQuestion, GoldenQuestions } from "../resources/golden-questions.js";
import { toTimestamp } from "../resources/records.js";
import type { GoldenGuardRecord } from "../storage/records/golden-guards.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, Reembedding } from "../types.js";
import { getOrCreate } from "../util/get-or-create.js";
import { parseInput } from "../validation/parse-input.js";
import { evaluate } from "./evaluate.js";
import type { EvaluatedNamespace } from "./evaluated-namespace.js";
import { compareWithBaseline, findDrops } from "./gate.js";
import { splitAnswerable } from "./match-golden-answer.js";
import type { EvaluationReport, SettingResult } from "./measure.js";
import { type MeasureName, parseMeasure } from "./metrics.js";
import { checkSettings, type EvaluationSetting, goldenGuardSchema } from "./settings.js";

/** What a guard measures. */
export interface GoldenGuardInput {
  /** @default ["nDCG@10"] */
  readonly measures?: readonly MeasureName[] | undefined;
  /** The search settings to measure, at most 20. @default one with the defaults of a search */
  readonly settings?: readonly EvaluationSetting[] | undefined;
}

/** A guard of a namespace's embedding model. */
export interface GoldenGuard {
  readonly measures: readonly MeasureName[];
  readonly settings: readonly EvaluationSetting[];
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The handles by which a namespace's content is searched by each of its two models. */
export interface ModelHandles {
  current(tenantId: string | null): EvaluatedNamespace;
  other(tenantId: string | null): EvaluatedNamespace;
}

/** Any drop that is not significant is allowed. */
const MAX_DROP = 1;

/** The guards of one organization's namespaces. */
export class GoldenGuards {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /** @throws KnowledgeBaseError `not_found` for the namespace, or if it has no guard */
  async get(namespace: string, options: CallOptions = {}): Promise<GoldenGuard> {
    const guard = await this.find(namespace, options);
    if (!guard) throw notFound("guard of golden questions for", namespace);
    return guard;
  }

  /**
   * Lets the namespace refuse an embedding model that makes its golden questions significantly worse. Replaces an earlier
   * guard.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace, `conflict` while a cut-over is requested
   */
  async set(namespace: string, input: GoldenGuardInput = {}, options: CallOptions = {}): Promise<GoldenGuard> {
    const { measures, settings } = parseInput(goldenGuardSchema, input);
    for (const measure of measures) parseMeasure(measure);
    checkSettings(settings as readonly EvaluationSetting[]);
    const { engine, access } = await this.#resolve(namespace, options.signal);
    requireWhole(access.tenantId);
    const guard = {
      namespaceId: access.namespaceId,
      guard: JSON.stringify({ measures, settings }),
      createdAt: engine.now(),
    };
    await engine.storage.goldenGuards.set(guard);
    return toGuard(guard);
  }

  /** Removes and returns the guard. @throws KnowledgeBaseError `not_found` */
  async delete(namespace: string, options: CallOptions = {}): Promise<GoldenGuard> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    requireWhole(access.tenantId);
    const row = await engine.storage.goldenGuards.delete({ namespaceId: access.namespaceId });
    if (!row) throw notFound("guard of golden questions for", namespace);
    return toGuard(row);
  }

  /** Returns the guard; `null` if there is none. */
  async find(namespace: string, options: CallOptions): Promise<GoldenGuard | null> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    requireWhole(access.tenantId);
    const row = await engine.storage.goldenGuards.get({ namespaceId: access.namespaceId });
    return row ? toGuard(row) : null;
  }

  /**
   * Compares both models of a namespace by the active golden questions of all its tenants.
   * @throws KnowledgeBaseError `conflict` that tells the figures if the other model is significantly worse, or why it
   * can't be said, and the errors of `search`
   */
  async check(
    namespace: string,
    { measures, settings }: GoldenGuard,
    { state }: Pick<Reembedding, "state">,
    handles: ModelHandles,
    { signal }: CallOptions,
  ): Promise<void> {
    if (state === "running")
      throw refused("can be compared once all passages are embedded: wait until the re-embedding is ready");
    const byTenant = await this.#listActive(namespace, signal);
    const [current, other] = [new Map<string, SettingResult>(), new Map<string, SettingResult>()];
    let statistics: EvaluationReport["statistics"] | null = null;
    for (const [tenantId, questions] of byTenant) {
      const { answerable } = await splitAnswerable(handles.current(tenantId), questions, { signal });
      if (answerable.length === 0) continue;
      // Ids are unique within a tenant only.
      const named = answerable.map((question) => ({ ...question, id: `${tenantId ?? ""} ${question.id}` }));
      for (const [results, handle] of [
        [current, handles.current(tenantId)],
        [other, handles.other(tenantId)],
      ] as const) {
        const report = await evaluate(handle, named, { settings, measures, signal });
        statistics = report.statistics;
        for (const result of report.results)
          results.set(result.name, appendQuestions(results.get(result.name), result));
      }
    }
    if (!statistics) throw refused("can't be compared: no active golden question can be evaluated");
    const comparisons = await compareWithBaseline(
      { results: [...other.values()], statistics },
      { results: [...current.values()] },
    );
    const failures = findDrops(comparisons, MAX_DROP);
    if (failures.length > 0)
      throw refused(`makes the golden questions worse: ${failures.map(({ message }) => message).join("; ")}`);
  }

  async #listActive(namespace: string, signal: AbortSignal | undefined) {
    const questions = new GoldenQuestions(this.#resolve);
    const byTenant = new Map<string | null, GoldenQuestion[]>();
    const options = { statuses: ["active"], order: "asc", perPage: 100, signal } as const;
    for await (const { tenantId, key, question, answers } of questions.iterate(namespace, options))
      getOrCreate(byTenant, tenantId, () => [] as GoldenQuestion[]).push({ id: key, question, answers });
    return byTenant;
  }
}

function appendQuestions(before: SettingResult | undefined, result: SettingResult): SettingResult {
  return before ? { ...before, questions: [...before.questions, ...result.questions] } : result;
}

function refused(reason: string): KnowledgeBaseError {
  const message = `The other embedding model ${reason}. To use it nevertheless, cut over with ignoreGuard.`;
  return new KnowledgeBaseError("conflict", message);
}

function requireWhole(tenantId: string | null): void {
  if (tenantId !== null)
    throw new KnowledgeBaseError("unsupported", "The embedding model belongs to the whole namespace, not to a tenant.");
}

function toGuard({ guard, createdAt }: GoldenGuardRecord): GoldenGuard {
  return { ...JSON.parse(guard), createdAt: toTimestamp(createdAt) };
}
