import { z } from "../vendor/zod.js";
import { checkPosition, listShape } from "./list-schema.js";
import { strict } from "./strict.js";

/** What the health of a corpus is judged by. */
export const HEALTH_FINDINGS = [
  "near-duplicates",
  "unfindable-passages",
  "unanswered-questions",
  "stale-documents",
  "badly-parsed-documents",
] as const;

/** The findings that need a check of each passage. */
export const HEALTH_CHECKS = ["near-duplicates", "unfindable-passages"] as const;

const staleAfterDays = z.int().min(1).max(36_500).default(365);

export const healthReportSchema = strict({
  staleAfterDays,
  maxSeconds: z.number().min(0).max(600).default(10),
  checks: z.array(z.enum(HEALTH_CHECKS)).default([...HEALTH_CHECKS]),
});

const healthListShape = { ...listShape, staleAfterDays };
const kindShape = { kind: z.enum(HEALTH_FINDINGS) };

export const healthListSchema = strict(healthListShape).superRefine(checkPosition);

export const healthKindSchema = strict(kindShape);

export const healthListQuerySchema = strict({ ...kindShape, ...healthListShape }).superRefine(checkPosition);
