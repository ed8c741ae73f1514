import { z } from "../vendor/zod.js";
import { ENGINE_KEYS } from "./metadata-schema.js";
import { searchShape } from "./search-schema.js";
import { strict } from "./strict.js";

const MAX_KEYS = 20;

const keySchema = z
  .string()
  .refine((key) => !ENGINE_KEYS.includes(key), `must not be one of ${ENGINE_KEYS.join(", ")}, which are not counted`)
  .refine((key) => key.isWellFormed(), "must be well-formed Unicode");

export const facetsSchema = strict({
  keys: z.array(keySchema).min(1).max(MAX_KEYS),
  filter: searchShape.filter,
  limit: z.int().min(1).max(1000).default(10),
});
