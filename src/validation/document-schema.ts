import { z } from "../vendor/zod.js";
import { principalsSchema } from "./principals-schema.js";
import { strict } from "./strict.js";

const offsetSchema = z.int().min(0);

const pageNumberSchema = z.int().min(1).optional();

/** The query parameters for a document's text. */
export const pageRangeSchema = strict({ fromPage: pageNumberSchema, toPage: pageNumberSchema });

const rangeSchema = strict({ start: offsetSchema, end: offsetSchema })
  .refine(({ start, end }) => start <= end, "must not end before its start")
  .optional();

export const documentChunksSchema = strict({ range: rangeSchema });

export const documentTextSchema = strict({
  range: rangeSchema,
  pages: strict({ from: pageNumberSchema, to: pageNumberSchema })
    .refine(({ from = 1, to = from }) => from <= to, "must not end before its start")
    .optional(),
});

export const updateDocumentSchema = strict({ allow: principalsSchema.nullable() });

export const downloadSchema = strict({ range: rangeSchema });
