import { KnowledgeBaseError } from "../errors.js";
import { parseInput } from "../validation/parse-input.js";
import type { EvaluatedNamespace } from "./evaluated-namespace.js";
import { type GoldenQuestion, goldenQuestionsSchema } from "./golden-questions.js";
import { createGoldenJudges } from "./match-golden-answer.js";
import { type Candidate, type EvaluationReport, type MeasureOptions, measure } from "./measure.js";
import { checkSettings, DEFAULT_SETTINGS, type EvaluationSetting } from "./settings.js";

export interface EvaluateOptions extends MeasureOptions {
  /** The search settings to measure. Each is compared with the first. @default one for each mode */
  readonly settings?: readonly EvaluationSetting[] | undefined;
  /**
   * Returns the handle of a namespace that a setting names, such as `(ref) => kb.namespace(ref)`. Required if one does.
   */
  readonly namespace?: ((ref: string) => EvaluatedNamespace) | undefined;
}

/**
 * Measures how well search settings answer questions with known answers: nDCG, recall and MRR with 95 % confidence
 * intervals, and a significance test for their differences. Writes nothing.
 *
 * @throws KnowledgeBaseError `invalid_input`, also if an answer names a document that the namespace doesn't have, and
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
  { settings = DEFAULT_SETTINGS, namespace: handleOf, ...options }: EvaluateOptions = {},
): Promise<EvaluationReport> {
  const checked: readonly GoldenQuestion[] = parseInput(goldenQuestionsSchema, questions, ["questions"]);
  const candidates: Candidate[] = [];
  for (const [index, setting] of checkSettings(settings).entries()) {
    const { name, namespace, embedding, ...search } = setting;
    if (embedding !== undefined) {
      const message = `the setting ${name} has an embedding, but the content is already embedded: name a namespace`;
      throw new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "settings.embedding", message }] });
    }
    const searched = namespace === undefined ? handle : handleOf?.(namespace);
    if (!searched) {
      const field = `settings[${index}].namespace`;
      const message = `is ${JSON.stringify(namespace)}, which needs the option namespace: (ref) => kb.namespace(ref)`;
      throw new KnowledgeBaseError("invalid_input", `${field} ${message}`, { issues: [{ field, message }] });
    }
    candidates.push({
      setting,
      search: (question, call) => searched.search(question, { ...search, ...call }),
      judges: await createGoldenJudges(searched, checked, options),
    });
  }
  const identified = checked.map(({ id, question }) => ({ id: id ?? question, text: question }));
  return measure(candidates, identified, options);
}
