import type { GoldenQuestion } from "../resources/golden-questions.js";
import { checkIds, goldenAnswerSchema } from "../validation/golden-question-schema.js";
import { MAX_QUERY_LENGTH } from "../validation/query-length.js";
import { z } from "../vendor/zod.js";
import { type EvaluationSetting, settingSchema } from "./settings.js";

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

export const goldenQuestionsSchema = z
  .array(
    z.strictObject({
      id: nonEmptyStringSchema.optional(),
      question: z.string().min(1).max(MAX_QUERY_LENGTH),
      answers: z.array(goldenAnswerSchema).min(1),
    }),
  )
  .min(1)
  .superRefine(checkIds);

export const goldenSetSchema = z.strictObject({
  name: nonEmptyStringSchema.optional(),
  namespace: nonEmptyStringSchema.optional(),
  tenant: nonEmptyStringSchema.optional(),
  settings: z.array(settingSchema).min(1).optional(),
  questions: goldenQuestionsSchema,
});
