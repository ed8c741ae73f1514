import { KnowledgeBaseError } from "../errors.js";
import type { NamespaceHandle } from "../index.js";
import { parseInput } from "../validation/schemas.js";
import { type GoldenQuestion, goldenQuestionsSchema } from "./golden-questions.js";
import { goldenJudges } from "./match-golden-answer.js";
import { type Candidate, type EvaluationReport, type MeasureOptions, measure } from "./measure.js";
import { checkSettings, DEFAULT_SETTINGS, type EvaluationSetting } from "./settings.js";

export interface EvaluateOptions extends MeasureOptions {
  /** Ways to search that are measured, the others against the first. @default each mode */
  readonly settings?: readonly EvaluationSetting[] | undefined;
}

/**
 * Asks golden questions of content that is there.
 * @param handleOf The namespace that a setting names, or the one that is evaluated.
 * @throws KnowledgeBaseError `invalid_input`, and what a search fails with
 */
export async function evaluateGolden(
  handleOf: (namespace: string | undefined) => NamespaceHandle,
  questions: readonly GoldenQuestion[],
  { settings = DEFAULT_SETTINGS, ...options }: EvaluateOptions,
): Promise<EvaluationReport> {
  const checked: readonly GoldenQuestion[] = parseInput(goldenQuestionsSchema, questions, ["questions"]);
  const candidates: Candidate[] = [];
  for (const setting of checkSettings(settings)) {
    const { name, namespace, embedding, ...search } = setting;
    if (embedding !== undefined) {
      const message = `the setting ${name} has an embedding, but content that is there has its own: give the namespace of another one`;
      throw new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "settings.embedding", message }] });
    }
    const handle = handleOf(namespace);
    candidates.push({
      setting,
      search: (question, call) => handle.search(question, { ...search, ...call }),
      judges: await goldenJudges(handle, checked, options),
    });
  }
  const asked = checked.map(({ id, question }) => ({ id: id ?? question, text: question }));
  return measure(candidates, asked, options);
}
