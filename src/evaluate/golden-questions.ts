import { MAX_QUERY_LENGTH } from "../validation/query-length.js";
import { z } from "../vendor/zod.js";
import { type EvaluationSetting, settingSchema } from "./settings.js";

/** A passage that answers a question. It must meet every given condition. */
export interface GoldenAnswer {
  /** The id or name of the passage's document, such as `handbook.pdf`. */
  readonly document?: string | undefined;
  /** The external id of the job that ingested the document. */
  readonly externalId?: string | undefined;
  /** A page that the passage is on, from 1. */
  readonly page?: number | undefined;
  /** Text in the passage, ignoring differences in case, white space and character forms (Unicode NFKC). */
  readonly contains?: string | undefined;
  /** The weight of the answer in nDCG, above 0. @default 1 */
  readonly grade?: number | undefined;
}

/** A question and its answers. */
export interface GoldenQuestion {
  /** Identifies the question across evaluations. @default the question */
  readonly id?: string | undefined;
  readonly question: string;
  /** At least one. If there are several, a search should find all of them. */
  readonly answers: readonly GoldenAnswer[];
}

/** A file of golden questions. */
export interface GoldenSet {
  readonly name?: string | undefined;
  /** The id or slug of the namespace to search. */
  readonly namespace?: string | undefined;
  readonly tenant?: string | undefined;
  readonly settings?: readonly EvaluationSetting[] | undefined;
  readonly questions: readonly GoldenQuestion[];
}

const nonEmptyStringSchema = z.string().trim().min(1);

const answerSchema = z
  .strictObject({
    document: nonEmptyStringSchema.optional(),
    externalId: nonEmptyStringSchema.optional(),
    page: z.int().min(1).optional(),
    contains: nonEmptyStringSchema.optional(),
    grade: z.number().positive().optional(),
  })
  .refine(
    ({ document, externalId, contains }) => (document ?? externalId ?? contains) !== undefined,
    "must have a document, an externalId or a text that the passage contains",
  )
  .refine(
    ({ page, document, externalId }) => page === undefined || (document ?? externalId) !== undefined,
    "has a page, so it must also name the document or its externalId",
  );

/** Rejects unknown keys: if a misspelt condition were ignored, every hit would count as an answer. */
export const goldenQuestionsSchema = z
  .array(
    z.strictObject({
      id: nonEmptyStringSchema.optional(),
      question: z.string().min(1).max(MAX_QUERY_LENGTH),
      answers: z.array(answerSchema).min(1),
    }),
  )
  .min(1)
  .superRefine((questions, context) => {
    const ids = questions.map(({ id, question }) => id ?? question);
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) === index) continue;
      const message = `has the id of an earlier question, ${JSON.stringify(id)}`;
      context.addIssue({ code: "custom", path: [index, "id"], message, input: undefined });
    }
  });

export const goldenSetSchema = z.strictObject({
  name: nonEmptyStringSchema.optional(),
  namespace: nonEmptyStringSchema.optional(),
  tenant: nonEmptyStringSchema.optional(),
  settings: z.array(settingSchema).min(1).optional(),
  questions: goldenQuestionsSchema,
});
