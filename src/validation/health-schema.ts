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

const staleAfterDays = z.int().min(1).max(36_500).default(365);

export const healthReportSchema = strict({ staleAfterDays, maxSeconds: z.number().min(0).max(600).default(10) });

export const healthListSchema = strict({ ...listShape, staleAfterDays }).superRefine(checkPosition);

export const healthKindSchema = strict({ kind: z.enum(HEALTH_FINDINGS) });
