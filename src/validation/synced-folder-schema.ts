import { z } from "../vendor/zod.js";
import { label } from "./fields.js";
import { strict } from "./strict.js";

/** Paths within a folder. Each sync would delete files outside of it and add them again. */
const pathPattern = z
  .string()
  .min(1)
  .max(1000)
  .refine((pattern) => !/^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(pattern), "must stay within the folder");

const pathPatterns = z.preprocess(
  (input) => (typeof input === "string" ? [input] : input),
  z.array(pathPattern).max(1000),
);

export const syncedFolderSchema = strict({
  dir: z.string().min(1),
  include: pathPatterns.default(["**"]),
  exclude: pathPatterns.default([]),
  source: label.optional(),
  deleteExcluded: z.boolean().default(false),
  allowEmpty: z.boolean().default(false),
});

/** `scanIntervalMs` is the interval of full scans of a watched folder. */
export const watchSchema = strict({ scanIntervalMs: z.int().min(1000).max(86_400_000).default(60_000) });
