import { z } from "../vendor/zod.js";
import { MAX_QUERY_LENGTH } from "./query-length.js";
import { strict } from "./strict.js";

export const addClickSchema = strict({
  question: z.string().trim().min(1).max(MAX_QUERY_LENGTH),
  chunkId: z.string().min(1).max(256),
});
