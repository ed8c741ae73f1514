import { KnowledgeBaseError } from "../errors.js";
import type { GoldenQuestion } from "../resources/golden-questions.js";
import { getOrCreate } from "../util/get-or-create.js";
import { parseInput } from "../validation/parse-input.js";
import type { EvaluatedNamespace } from "./evaluated-namespace.js";
import { goldenQuestionsSchema } from "./golden-questions.js";
import { createGoldenJudges } from "./match-golden-answer.js";
import { type Candidate, type EvaluationReport, type MeasureOptions, measure } from "./measure.js";
import type { RelevanceJudge } from "./relevance-judge.js";
import { checkSettings, DEFAULT_SETTINGS, type EvaluationSetting } from "./settings.js";

export interface EvaluateOptions extends MeasureOptions {
  /** The search settings to measure. Every other setting is compared with the first. @default one per mode */
  readonly settings?: readonly EvaluationSetting[] | undefined;
  /**
   * Returns the namespace with an id or slug, such as `(ref) => kb.namespace(ref)`. Required if a setting names a
   * namespace.
   */
  readonly namespace?: ((ref: string) => EvaluatedNamespace) | undefined;
}

/**
 * Measures how well search settings answer questions with known answers: nDCG, recall and MRR with 95 % confidence
 * intervals, and a significance test for their differences. Writes nothing.
 *
 * @throws KnowledgeBaseError `invalid_input`, for example if an answer names a document that doesn't exist, and
 * the errors of `search`
 * @example
 * import { evaluate } from "lorebase/evaluate";
 *
 * const report = await evaluate(
 *   handbook,
 *   [{ question: "When is the lamp lit?", answers: [{ document: "keeper.md", contains: "before sunset" }] }],
 *   { settings: [{ name: "words", mode: "keyword" }, { name: "both", mode: "hybrid" }] },
 * );
 */
export async function evaluate(
  handle: EvaluatedNamespace,
  questions: readonly GoldenQuestion[],
  options: EvaluateOptions = {},
): Promise<EvaluationReport> {
  const parsed: readonly GoldenQuestion[] = parseInput(goldenQuestionsSchema, questions, ["questions"]);
  return evaluateJudged(handle, parsed, (searched) => createGoldenJudges(searched, parsed, options), options);
}

/**
 * Evaluates valid questions.
 * @param judge Returns one judge per question for a namespace that is searched, and is called once for each.
 * @throws KnowledgeBaseError as `evaluate`
 */
export async function evaluateJudged(
  handle: EvaluatedNamespace,
  questions: readonly GoldenQuestion[],
  judge: (searched: EvaluatedNamespace) => Promise<readonly RelevanceJudge[]>,
  { settings = DEFAULT_SETTINGS, namespace: getHandle, ...options }: EvaluateOptions,
): Promise<EvaluationReport> {
  const judges = new Map<string | undefined, Promise<readonly RelevanceJudge[]>>();
  const candidates: Candidate[] = [];
  for (const [index, setting] of checkSettings(settings).entries()) {
    const { name, namespace, embedding, ...search } = setting;
    if (embedding !== undefined) {
      const message = `the setting ${name} has an embedding, but the content is already embedded: set namespace instead`;
      throw new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "settings.embedding", message }] });
    }
    const searchHandle = namespace === undefined ? handle : getHandle?.(namespace);
    if (!searchHandle) {
      const field = `settings[${index}].namespace`;
      const message = `is ${JSON.stringify(namespace)}, which needs the option namespace: (ref) => kb.namespace(ref)`;
      throw new KnowledgeBaseError("invalid_input", `${field} ${message}`, { issues: [{ field, message }] });
    }
    candidates.push({
      setting,
      search: (question, call) => searchHandle.search(question, { ...search, ...call }),
      judges: await getOrCreate(judges, namespace, () => judge(searchHandle)),
    });
  }
  const identified = questions.map(({ id, question }) => ({ id: id ?? question, text: question }));
  return measure(candidates, identified, options);
}
