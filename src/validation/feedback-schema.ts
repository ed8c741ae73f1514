import { z } from "../vendor/zod.js";
import { checkPosition, listShape } from "./list-schema.js";
import { MAX_QUERY_LENGTH } from "./query-length.js";
import { strict } from "./strict.js";

const ratingSchema = z.enum(["up", "down"]);

export const addFeedbackSchema = strict({
  question: z.string().trim().min(1).max(MAX_QUERY_LENGTH),
  answer: z.string().min(1).max(20_000),
  rating: ratingSchema,
  comment: z.string().max(2000).nullable().default(null),
  chunkIds: z.array(z.string().min(1).max(256)).max(100).default([]),
});

export const listFeedbackSchema = strict({ ...listShape, rating: ratingSchema.optional() }).superRefine(checkPosition);
