import type { CallOptions } from "../types.js";
import { evaluateJudged } from "./evaluate.js";
import type { EvaluatedNamespace } from "./evaluated-namespace.js";
import { type BaselineComparison, compareWithBaseline } from "./gate.js";
import type { JudgedQuestions } from "./match-golden-answer.js";
import type { SettingResult } from "./measure.js";
import type { MeasureName } from "./metrics.js";
import type { EvaluationSetting } from "./settings.js";

/** The handles by which a namespace's content is searched by each of its two models. */
export interface ModelHandles {
  current(tenantId: string | null): EvaluatedNamespace;
  other(tenantId: string | null): EvaluatedNamespace;
}

/** The questions of one tenant. Both models are judged by the same judges. */
export interface TenantQuestions extends JudgedQuestions {
  readonly tenantId: string | null;
}

interface CompareModelsOptions extends CallOptions {
  readonly settings: readonly EvaluationSetting[];
  readonly measures: readonly MeasureName[];
  readonly seed?: number;
}

/**
 * Compares both models by the questions of all tenants, of which there must be one that can be answered. `before` are the
 * means of the model that searches use, `now` those of the other.
 */
export async function compareModels(
  handles: ModelHandles,
  byTenant: readonly TenantQuestions[],
  { settings, measures, seed: givenSeed, signal }: CompareModelsOptions,
): Promise<readonly BaselineComparison[]> {
  const [current, other] = [new Map<string, SettingResult>(), new Map<string, SettingResult>()];
  let seed = 1;
  for (const { tenantId, answerable, judges } of byTenant) {
    if (answerable.length === 0) continue;
    // Ids are unique within a tenant only.
    const named = answerable.map((question) => ({
      ...question,
      id: JSON.stringify([tenantId, question.id ?? question.question]),
    }));
    for (const [results, handle] of [
      [current, handles.current(tenantId)],
      [other, handles.other(tenantId)],
    ] as const) {
      const options = { settings, measures, seed: givenSeed, signal };
      const report = await evaluateJudged(handle, named, async () => judges, options);
      seed = report.statistics.seed;
      for (const result of report.results) results.set(result.name, appendQuestions(results.get(result.name), result));
    }
  }
  return compareWithBaseline(
    { results: [...other.values()], statistics: { seed } },
    { results: [...current.values()] },
  );
}

function appendQuestions(before: SettingResult | undefined, result: SettingResult): SettingResult {
  return before ? { ...before, questions: [...before.questions, ...result.questions] } : result;
}
