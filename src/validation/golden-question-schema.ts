import { z } from "../vendor/zod.js";
import { checkPosition, listShape } from "./list-schema.js";
import { MAX_QUERY_LENGTH } from "./query-length.js";
import { strict } from "./strict.js";

export const GOLDEN_ORIGINS = ["manual", "feedback", "click", "generated"] as const;
export const GOLDEN_STATUSES = ["active", "draft", "disabled"] as const;

/** The number of golden questions that a namespace keeps. */
export const MAX_GOLDEN_QUESTIONS = 2000;
const MAX_ANSWERS = 100;
const MAX_ANSWERS_LENGTH = 100_000;

const MAX_NAME_LENGTH = 1000;
/** Sums of larger grades could be infinite, and a measure then not a number. */
const MAX_GRADE = 1000;

const nonEmptyStringSchema = z.string().trim().min(1);
const nameSchema = nonEmptyStringSchema.max(MAX_NAME_LENGTH);

/** Rejects unknown keys: if a misspelt condition were ignored, every hit would count as an answer. */
export const goldenAnswerSchema = z
  .strictObject({
    document: nameSchema.optional(),
    externalId: nameSchema.optional(),
    page: z.int().min(1).optional(),
    contains: nonEmptyStringSchema.optional(),
    grade: z.number().positive().max(MAX_GRADE).optional(),
  })
  .refine(
    ({ document, externalId, contains }) => (document ?? externalId ?? contains) !== undefined,
    "must have a document, an externalId or a text that the passage contains",
  )
  .refine(
    ({ page, document, externalId }) => page === undefined || (document ?? externalId) !== undefined,
    "has a page, so it must also name the document or its externalId",
  );

/** Keys are told apart by the text that is stored, where lone surrogates are replaced. A question is a key by default. */
const keySchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_QUERY_LENGTH)
  .overwrite((text) => text.toWellFormed());
const questionSchema = keySchema;
const statusSchema = z.enum(GOLDEN_STATUSES);
const answersSchema = z
  .array(goldenAnswerSchema)
  .min(1)
  .max(MAX_ANSWERS)
  .refine(
    (answers) => JSON.stringify(answers).length <= MAX_ANSWERS_LENGTH,
    `must have at most ${MAX_ANSWERS_LENGTH} characters as JSON`,
  );

export const addGoldenQuestionSchema = strict({
  question: questionSchema,
  answers: answersSchema,
  key: keySchema.optional(),
  origin: z.enum(GOLDEN_ORIGINS).default("manual"),
  status: statusSchema.default("active"),
});

export const updateGoldenQuestionSchema = strict({
  question: questionSchema.optional(),
  answers: answersSchema.optional(),
  status: statusSchema.optional(),
});

export const importGoldenQuestionsSchema = strict({
  questions: z
    .array(strict({ id: keySchema.optional(), question: questionSchema, answers: answersSchema }))
    .min(1)
    .max(MAX_GOLDEN_QUESTIONS)
    .superRefine(checkIds),
});

export const listGoldenQuestionsSchema = strict({
  ...listShape,
  statuses: z.array(statusSchema).optional(),
  origins: z.array(z.enum(GOLDEN_ORIGINS)).optional(),
}).superRefine(checkPosition);

const madeShape = { status: z.enum(["draft", "active"]).default("draft") };

export const goldenQuestionsFromFeedbackSchema = strict(madeShape);

export const goldenQuestionsFromClicksSchema = strict({
  ...madeShape,
  minClicks: z.int().min(1).max(10_000).default(3),
});

export const generateGoldenQuestionsSchema = strict({
  ...madeShape,
  limit: z.int().min(1).max(500).default(50),
  perDocument: z.int().min(1).max(50).default(3),
  after: nonEmptyStringSchema.optional(),
  useLlm: z.boolean().default(false),
});

/** Refuses two questions with the same id, which is the question's text unless it is given. */
export function checkIds(
  questions: readonly { readonly id?: string | undefined; readonly question: string }[],
  context: z.RefinementCtx,
): void {
  const seen = new Set<string>();
  for (const [index, { id, question }] of questions.entries()) {
    const key = id ?? question;
    if (seen.has(key)) {
      const message = `has the id of an earlier question, ${JSON.stringify(key)}`;
      context.addIssue({ code: "custom", path: [index, "id"], message, input: undefined });
    }
    seen.add(key);
  }
}
