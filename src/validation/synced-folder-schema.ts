import { z } from "../vendor/zod.js";
import { label } from "./fields.js";
import { strict } from "./strict.js";

/** A pattern relative to the folder. Files outside would be deleted and added again by each sync. */
const pathPattern = z
  .string()
  .min(1)
  .max(1000)
  .refine(
    (pattern) => !/^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(pattern),
    "must be a relative path inside the folder",
  );

const pathPatterns = z.preprocess(
  (given) => (typeof given === "string" ? [given] : given),
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

/** Interval of full scans of a watched folder, in milliseconds. */
export const watchSchema = strict({ scanIntervalMs: z.int().min(1000).max(86_400_000).default(60_000) });
