import { z } from "../vendor/zod.js";
import { listShape } from "./list-schema.js";
import { ENGINE_KEYS } from "./metadata-schema.js";
import { searchShape } from "./search-schema.js";
import { strict } from "./strict.js";

const keySchema = z
  .string()
  .refine((key) => !ENGINE_KEYS.includes(key), `must not be one of ${ENGINE_KEYS.join(", ")}, which have no order`)
  .refine((key) => key.isWellFormed(), "must be well-formed Unicode");

export const passagesSchema = strict({
  filter: searchShape.filter,
  orderBy: z.union([z.literal("createdAt"), strict({ key: keySchema })]).default("createdAt"),
  order: listShape.order,
  onePerDocument: z.boolean().default(false),
  includeTotal: z.boolean().default(false),
  cursor: listShape.cursor,
  perPage: listShape.perPage,
});
