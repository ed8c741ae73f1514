import { KnowledgeBaseError } from "../errors.js";
import type { SearchOptions } from "../search/search.js";
import type { EmbeddingConfig } from "../types.js";
import { parseInput } from "../validation/parse-input.js";
import { principalsSchema } from "../validation/principals-schema.js";
import { searchSchema } from "../validation/search-schema.js";
import { strict } from "../validation/strict.js";
import { z } from "../vendor/zod.js";
import { DEFAULT_MEASURES } from "./metrics.js";

/** Options that change the content of hits, but not which passages are found, and one that belongs to a single query. */
type OtherOption =
  | "includeMetadata"
  | "includeRelationships"
  | "includeHighlights"
  | "explain"
  | "neighbourTokens"
  | "alternatives";

/** One way to search: options of `search` that affect the ranking, and where to search. */
export interface EvaluationSetting extends Omit<SearchOptions, "signal" | OtherOption> {
  /** The setting's name in the report. */
  readonly name: string;
  /** The number of hits per search, 1 to 100. Deeper measures see no further hits. @default 100 */
  readonly topK?: number | undefined;
  /** The id or slug of another namespace with the same content, to compare embeddings. @default the evaluated one */
  readonly namespace?: string | undefined;
  /** The embedder to ingest a test collection with. @default the embedder of the whole evaluation */
  readonly embedding?: EmbeddingConfig | undefined;
}

export const EVALUATION_MODES = ["keyword", "semantic", "hybrid"] as const;

export type EvaluationMode = (typeof EVALUATION_MODES)[number];

/** One setting per mode, with the mode's default options. */
export const DEFAULT_SETTINGS: readonly EvaluationSetting[] = EVALUATION_MODES.map((mode) => ({ name: mode, mode }));

const {
  query,
  alternatives,
  neighbourTokens,
  includeMetadata,
  includeRelationships,
  includeHighlights,
  explain,
  ...searchShape
} = searchSchema.shape;

export const settingSchema = z.strictObject({
  // Without defaults, so that a report shows the setting as the caller wrote it.
  ...Object.fromEntries(Object.entries(searchShape).map(([name, option]) => [name, withoutDefault(option).optional()])),
  name: z.string().trim().min(1).max(64),
  namespace: z.string().min(1).optional(),
  principals: principalsSchema.optional(),
  embedding: z.looseObject({ provider: z.string().min(1) }).optional(),
});

const seedSchema = z
  .int()
  .min(0)
  .max(2 ** 31)
  .default(1);

/** Options of an evaluation of a namespace's golden questions. Measures are checked when they are parsed. */
export const runEvaluationSchema = strict({
  name: z.string().trim().min(1).max(200).nullable().default(null),
  settings: z.array(settingSchema).min(1).max(20).optional(),
  measures: z.array(z.string()).min(1).max(20).optional(),
  seed: seedSchema,
});

/** The earlier evaluation to compare with, as clients of the HTTP API name it. */
export const compareEvaluationsSchema = strict({ baselineId: z.string().min(1) });

/** How both models of a namespace are compared. */
export const evaluateReembeddingSchema = strict({
  settings: z
    .array(settingSchema)
    .min(1)
    .max(20)
    .default([{ name: "default" }]),
  measures: z
    .array(z.string())
    .min(1)
    .max(20)
    .default([...DEFAULT_MEASURES]),
  queries: z.int().min(0).max(1000).default(200),
  seed: seedSchema,
});

/** What a guard measures. */
export const goldenGuardSchema = strict({
  measures: z.array(z.string()).min(1).max(10).default(["nDCG@10"]),
  settings: z
    .array(settingSchema)
    .min(1)
    .max(20)
    .default([{ name: "default" }]),
});

function withoutDefault(option: z.core.$ZodType): z.ZodType {
  return (option instanceof z.ZodDefault ? option.unwrap() : option) as z.ZodType;
}

/** @throws KnowledgeBaseError `invalid_input` if a setting is invalid or two settings have the same name */
export function checkSettings(settings: readonly EvaluationSetting[]): readonly EvaluationSetting[] {
  const checked = parseInput(z.array(settingSchema).min(1), settings, ["settings"]) as readonly EvaluationSetting[];
  for (const [index, { name }] of checked.entries()) {
    if (checked.findIndex((other) => other.name === name) === index) continue;
    const message = `is ${JSON.stringify(name)}, the name of an earlier setting`;
    const issues = [{ field: `settings[${index}].name`, message }];
    throw new KnowledgeBaseError("invalid_input", `settings[${index}].name ${message}`, { issues });
  }
  return checked;
}

/**
 * Requires that settings search the namespace itself, as what compares its two models does.
 * @throws KnowledgeBaseError `invalid_input`
 */
export function refuseOtherContent(settings: readonly EvaluationSetting[], caller: string): void {
  for (const [index, setting] of settings.entries()) {
    for (const option of ["namespace", "embedding"] as const) {
      if (setting[option] === undefined) continue;
      const field = `settings[${index}].${option}`;
      const message = `can't be set: ${caller} searches its own namespace by both of its models`;
      throw new KnowledgeBaseError("invalid_input", `${field} ${message}`, { issues: [{ field, message }] });
    }
  }
}
