import { z } from "../vendor/zod.js";
import { strict } from "./strict.js";

const byteOffset = z.int().min(0);

const textOffset = z.int().min(0);

const pageNumber = z.int().min(1).optional();

/** The query parameters for a document's text. */
export const pageRangeSchema = strict({ fromPage: pageNumber, toPage: pageNumber });

export const documentTextSchema = strict({
  range: strict({ start: textOffset, end: textOffset })
    .refine(({ start, end }) => start <= end, "must not end before its start")
    .optional(),
  pages: strict({ from: pageNumber, to: pageNumber })
    .refine(({ from = 1, to = from }) => from <= to, "must not end before its start")
    .optional(),
});

export const downloadSchema = strict({
  range: strict({ start: byteOffset, end: byteOffset })
    .refine(({ start, end }) => start <= end, "must not end before its start")
    .optional(),
});
