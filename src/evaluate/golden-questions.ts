import { z } from "../vendor/zod.js";
import { type EvaluationSetting, settingSchema } from "./settings.js";

/** A passage that answers a question: every condition that is given holds of it. */
export interface GoldenAnswer {
  /** Its document, by id or by name, as `handbook.pdf`. */
  readonly document?: string | undefined;
  /** The external id of the job that its document came with. */
  readonly externalId?: string | undefined;
  /** A page that it stands on, from 1. */
  readonly page?: number | undefined;
  /** Text that it contains, without regard to case, white space and the form of characters (Unicode NFKC). */
  readonly contains?: string | undefined;
  /** How good an answer it is, above 0, for nDCG. @default 1 */
  readonly grade?: number | undefined;
}

/** A question and what answers it. */
export interface GoldenQuestion {
  /** Tells questions apart, also between one evaluation and the next. @default the question */
  readonly id?: string | undefined;
  readonly question: string;
  /** At least one. Where several are given, all of them are to be found. */
  readonly answers: readonly GoldenAnswer[];
}

/** A file of golden questions. */
export interface GoldenSet {
  readonly name?: string | undefined;
  /** By id or slug. */
  readonly namespace?: string | undefined;
  readonly tenant?: string | undefined;
  readonly settings?: readonly EvaluationSetting[] | undefined;
  readonly questions: readonly GoldenQuestion[];
}

const words = z.string().trim().min(1);

const answerSchema = z
  .strictObject({
    document: words.optional(),
    externalId: words.optional(),
    page: z.int().min(1).optional(),
    contains: words.optional(),
    grade: z.number().positive().optional(),
  })
  .refine(
    ({ document, externalId, contains }) => (document ?? externalId ?? contains) !== undefined,
    "must name a document, an externalId or a text that it contains",
  )
  .refine(
    ({ page, document, externalId }) => page === undefined || (document ?? externalId) !== undefined,
    "has a page, so it must name the document or its externalId",
  );

/** Unknown keys are refused: a condition that nothing reads would make every answer right. */
export const goldenQuestionsSchema = z
  .array(
    z.strictObject({
      id: words.optional(),
      question: z.string().min(1).max(8000),
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
  name: words.optional(),
  namespace: words.optional(),
  tenant: words.optional(),
  settings: z.array(settingSchema).min(1).optional(),
  questions: goldenQuestionsSchema,
});
