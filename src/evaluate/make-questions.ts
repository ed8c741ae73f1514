import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { GoldenQuestion, GoldenQuestionCounts, GoldenQuestions } from "../resources/golden-questions.js";
import type { CallOptions } from "../types.js";
import {
  generateGoldenQuestionsSchema,
  goldenQuestionsFromClicksSchema,
  goldenQuestionsFromFeedbackSchema,
} from "../validation/golden-question-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { generateQuestions, type QuestionSource } from "./generate-questions.js";
import { type ClickedNamespace, normalizeClicked, questionsFromClicks } from "./questions-from-clicks.js";
import { questionsFromFeedback, type RatedNamespace } from "./questions-from-feedback.js";

/** Options of whatever makes golden questions. Questions whose text is the key of a stored one are left out. */
export interface MakeQuestionsOptions extends CallOptions {
  /** The status of new questions. @default "draft" */
  readonly status?: "draft" | "active" | undefined;
}

export interface ClickQuestionsOptions extends MakeQuestionsOptions {
  /** The number of clicks on a document, for the same question, that make it an answer, 1 to 10,000. @default 3 */
  readonly minClicks?: number | undefined;
}

export interface GenerateQuestionsOptions extends MakeQuestionsOptions {
  /** The maximum number of questions, 1 to 500. @default 50 */
  readonly limit?: number | undefined;
  /** The maximum number of questions of one document, 1 to 50. @default 3 */
  readonly perDocument?: number | undefined;
  /**
   * The id of a completed document: it and those that were added before it get no questions. Pass on the `lastDocument` of
   * the call before, so that a language model isn't asked again for passages of which it made no new question.
   */
  readonly after?: string | undefined;
  /**
   * Whether the language model of the knowledge base writes the questions, by at most twice as many calls as `limit`. By
   * default, headings and definitions become questions.
   * @default false
   */
  readonly useLlm?: boolean | undefined;
}

/** What a generator did. */
export interface GeneratedQuestionCounts extends GoldenQuestionCounts {
  /** Replies of the language model without a question or without a quotation of the passage. */
  readonly rejected: number;
  /** The id of the document at which `limit`, or that of calls, was reached; `null` if all documents have been read. */
  readonly lastDocument: string | null;
}

/** A namespace's handle, as far as questions are made of it. */
export type QuestionNamespace = RatedNamespace & ClickedNamespace & QuestionSource & { readonly ref: string };

const NONE: GoldenQuestionCounts = { added: 0, replaced: 0, unchanged: 0, leftOut: 0 };
/** A question has at most as many answers. */
const MAX_ANSWERS = 100;

/** Makes golden questions of the answers that readers rated up. */
export async function makeFromFeedback(
  handle: QuestionNamespace,
  stored: GoldenQuestions,
  { signal, ...input }: MakeQuestionsOptions,
): Promise<GoldenQuestionCounts> {
  const { status } = parseInput(goldenQuestionsFromFeedbackSchema, input);
  const questions = await questionsFromFeedback(handle, { signal });
  return propose(handle, stored, questions, { origin: "feedback", status }, { signal });
}

/** Makes golden questions of the clicks that were reported. */
export async function makeFromClicks(
  handle: QuestionNamespace,
  stored: GoldenQuestions,
  { signal, ...input }: ClickQuestionsOptions,
): Promise<GoldenQuestionCounts> {
  const { status, minClicks } = parseInput(goldenQuestionsFromClicksSchema, input);
  const questions = await questionsFromClicks(handle, { minClicks, signal });
  // The first spelling of a question changes when its first click is evicted.
  const known = new Set<string>();
  for await (const { tenantId, key } of stored.iterate(handle.ref, { perPage: 100, signal }))
    if (tenantId === handle.tenantId) known.add(normalizeClicked(key));
  const others = questions.filter(({ question }) => !known.has(normalizeClicked(question)));
  const counts = await propose(handle, stored, others, { origin: "click", status }, { signal });
  return { ...counts, unchanged: counts.unchanged + questions.length - others.length };
}

/**
 * Makes golden questions of documents of which none was generated yet.
 * @throws KnowledgeBaseError `invalid_input` for `useLlm` without a language model
 */
export async function makeFromDocuments(
  handle: QuestionNamespace,
  stored: GoldenQuestions,
  engine: Engine,
  { signal, ...input }: GenerateQuestionsOptions,
): Promise<GeneratedQuestionCounts> {
  const { status, useLlm, ...request } = parseInput(generateGoldenQuestionsSchema, input);
  const generate = useLlm ? requireLanguageModel(engine) : null;
  const covered = new Set<string>();
  const known = new Set<string>();
  for await (const { tenantId, key, origin, answers } of stored.iterate(handle.ref, { perPage: 100, signal })) {
    if (tenantId !== handle.tenantId) continue;
    known.add(key);
    if (origin !== "generated") continue;
    for (const { document } of answers) if (document !== undefined) covered.add(document);
  }
  let total: GeneratedQuestionCounts = { ...NONE, rejected: 0, lastDocument: null };
  for await (const { questions, rejected, lastDocument } of generateQuestions(handle, {
    ...{ ...request, covered, known, generate, signal },
  })) {
    const counts = await propose(handle, stored, questions, { origin: "generated", status }, { signal });
    total = {
      added: total.added + counts.added,
      replaced: 0,
      unchanged: total.unchanged + counts.unchanged,
      leftOut: total.leftOut + counts.leftOut,
      rejected: total.rejected + rejected,
      lastDocument,
    };
    // A language model isn't asked for questions that there is no room for.
    if (counts.leftOut > 0) break;
  }
  return total;
}

async function propose(
  { ref }: QuestionNamespace,
  stored: GoldenQuestions,
  questions: readonly GoldenQuestion[],
  made: Parameters<GoldenQuestions["propose"]>[2],
  options: CallOptions,
): Promise<GoldenQuestionCounts> {
  const unique = new Map(questions.map((question) => [question.question.toWellFormed(), question]));
  if (unique.size === 0) return NONE;
  const limited = [...unique.values()].map((question) => ({
    ...question,
    answers: question.answers.slice(0, MAX_ANSWERS),
  }));
  return stored.propose(ref, limited, made, options);
}

function requireLanguageModel(engine: Engine) {
  const generate = engine.findGenerate();
  if (generate) return generate;
  const message = "is true, which needs a language model: set the option languageModel";
  throw new KnowledgeBaseError("invalid_input", `useLlm ${message}`, { issues: [{ field: "useLlm", message }] });
}
