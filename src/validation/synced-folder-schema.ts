import { z } from "../vendor/zod.js";
import { labelSchema } from "./fields.js";
import { strict } from "./strict.js";

/**
 * Refuses patterns that lead out of the folder: each sync would delete the documents of files outside it, and add them
 * again.
 */
const pathPatternSchema = z
  .string()
  .min(1)
  .max(1000)
  .refine((pattern) => !/^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(pattern), "must stay within the folder");

const pathPatternsSchema = z.preprocess(
  (input) => (typeof input === "string" ? [input] : input),
  z.array(pathPatternSchema).max(1000),
);

export const syncedFolderSchema = strict({
  dir: z.string().min(1),
  include: pathPatternsSchema.default(["**"]),
  exclude: pathPatternsSchema.default([]),
  source: labelSchema.optional(),
  deleteExcluded: z.boolean().default(false),
  allowEmpty: z.boolean().default(false),
});

/** `scanIntervalMs` is the interval of full scans of a watched folder. */
export const watchSchema = strict({ scanIntervalMs: z.int().min(1000).max(86_400_000).default(60_000) });
