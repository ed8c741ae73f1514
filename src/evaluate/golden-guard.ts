import { requireCompleteSet } from "../engine/check-vector-set.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { KnowledgeBaseError } from "../errors.js";
import { GoldenQuestions } from "../resources/golden-questions.js";
import { toTimestamp } from "../resources/records.js";
import type { GoldenGuardRecord, GuardApproval } from "../storage/records/golden-guards.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, Reembedding } from "../types.js";
import { parseInput } from "../validation/parse-input.js";
import { listActive } from "./active-questions.js";
import { compareModels, type ModelHandles, type TenantQuestions } from "./compare-models.js";
import { findDrops } from "./gate.js";
import { judgeAnswerable } from "./match-golden-answer.js";
import { type MeasureName, parseMeasure } from "./metrics.js";
import { checkSettings, type EvaluationSetting, goldenGuardSchema, refuseOtherContent } from "./settings.js";

/** What a guard measures. */
export interface GoldenGuardInput {
  /** @default ["nDCG@10"] */
  readonly measures?: readonly MeasureName[] | undefined;
  /** The search settings to measure, at most 20, without `namespace` and `embedding`. @default one with the defaults of a search */
  readonly settings?: readonly EvaluationSetting[] | undefined;
}

/** A guard of a namespace's embedding model. */
export interface GoldenGuard {
  readonly measures: readonly MeasureName[];
  readonly settings: readonly EvaluationSetting[];
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Any drop that is not significant is allowed. */
const MAX_DROP = 1;
/** If all of n questions get worse, p is 2 / 2 ** n: 0.031 for 6, and 0.063, which is not significant, for 5. */
const MIN_QUESTIONS = 6;

/** The guards of one organization's namespaces. */
export class GoldenGuards {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /** @throws KnowledgeBaseError `not_found` for the namespace, or if it has no guard */
  async get(namespace: string, options: CallOptions = {}): Promise<GoldenGuard> {
    const row = await this.find(namespace, options);
    if (!row) throw notFound("guard of golden questions for", namespace);
    return toGuard(row);
  }

  /**
   * Lets the namespace refuse an embedding model that makes its golden questions significantly worse. Replaces an earlier
   * guard.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace, `conflict` while a cut-over is requested
   */
  async set(namespace: string, input: GoldenGuardInput = {}, options: CallOptions = {}): Promise<GoldenGuard> {
    const { measures, settings } = parseInput(goldenGuardSchema, input);
    for (const measure of measures) parseMeasure(measure);
    refuseOtherContent(checkSettings(settings as readonly EvaluationSetting[]), "a guard");
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

  /** Returns the guard as it is stored; `null` if there is none. */
  async find(namespace: string, options: CallOptions): Promise<GoldenGuardRecord | null> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    requireWhole(access.tenantId);
    return (await engine.storage.goldenGuards.get({ namespaceId: access.namespaceId })) ?? null;
  }

  /**
   * Compares both models of a namespace by the active golden questions of all its tenants, and returns what has been checked.
   * @throws KnowledgeBaseError `conflict` that tells the figures if the other model is significantly worse, or why it
   * can't be said, which is retryable if passages lack its vectors, and the errors of `search`
   */
  async check(
    namespace: string,
    record: GoldenGuardRecord,
    other: Reembedding,
    handles: ModelHandles,
    { signal }: CallOptions,
  ): Promise<GuardApproval> {
    if (other.state === "running")
      throw refused("can be compared once all passages are embedded: wait until the re-embedding is ready");
    const { engine, access } = await this.#resolve(namespace, signal);
    await requireCompleteSet(engine, access, other, { signal });
    const { measures, settings } = toGuard(record);
    const byTenant = await this.#judge(namespace, handles, signal);
    const count = byTenant.reduce((sum, { answerable }) => sum + answerable.length, 0);
    if (count < MIN_QUESTIONS)
      throw refused(
        `can't be compared: ${count} active golden questions can be evaluated, and with fewer than ${MIN_QUESTIONS}, no difference is significant`,
      );
    const comparisons = await compareModels(handles, byTenant, { settings, measures, signal });
    const failures = findDrops(comparisons, MAX_DROP);
    if (failures.length > 0)
      throw refused(`makes the golden questions worse: ${failures.map(({ message }) => message).join("; ")}`);
    return { vectorSet: other.vectorSet, guard: record.guard };
  }

  /**
   * Returns the active questions of each tenant that can be evaluated. Both models are judged by the same judges, so a
   * document that is deleted meanwhile is only one that is not found.
   */
  async #judge(namespace: string, handles: ModelHandles, signal: AbortSignal | undefined) {
    const judged: TenantQuestions[] = [];
    for (const [tenantId, questions] of await listActive(new GoldenQuestions(this.#resolve), namespace, signal)) {
      const handle = handles.current(tenantId);
      judged.push({ tenantId, ...(await judgeAnswerable(handle, questions, { signal })) });
    }
    return judged;
  }
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
