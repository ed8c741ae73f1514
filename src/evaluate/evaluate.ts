import { KnowledgeBaseError } from "../errors.js";
import type { GoldenQuestion } from "../resources/golden-questions.js";
import { parseInput } from "../validation/parse-input.js";
import type { EvaluatedNamespace } from "./evaluated-namespace.js";
import { goldenQuestionsSchema } from "./golden-questions.js";
import { createGoldenJudges } from "./match-golden-answer.js";
import { type Candidate, type EvaluationReport, type MeasureOptions, measure } from "./measure.js";
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
  { settings = DEFAULT_SETTINGS, namespace: getHandle, ...options }: EvaluateOptions = {},
): Promise<EvaluationReport> {
  const parsed: readonly GoldenQuestion[] = parseInput(goldenQuestionsSchema, questions, ["questions"]);
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
      judges: await createGoldenJudges(searchHandle, parsed, options),
    });
  }
  const identified = parsed.map(({ id, question }) => ({ id: id ?? question, text: question }));
  return measure(candidates, identified, options);
}
