import { KnowledgeBaseError } from "../errors.js";
import type { SearchOptions } from "../index.js";
import type { EmbeddingConfig } from "../types.js";
import { parseInput, searchSchema } from "../validation/schemas.js";
import { z } from "../vendor/zod.js";

/** Options that change what a hit tells, and not which hits there are. */
type Shown = "includeMetadata" | "includeRelationships" | "includeHighlights" | "explain";

/** One way to search, beside others: any options of `search`, and where. */
export interface EvaluationSetting extends Omit<SearchOptions, "signal" | Shown> {
  /** What it is called in the report. */
  readonly name: string;
  /** Hits looked at, 1 to 100; measures of a greater depth count no more. @default 100 */
  readonly topK?: number | undefined;
  /** Another namespace with the same content, by id or slug, as for comparing embeddings. @default the one that is evaluated */
  readonly namespace?: string | undefined;
  /** For a collection, which is ingested for its evaluation: its embedder. @default that of the whole evaluation */
  readonly embedding?: EmbeddingConfig | undefined;
}

export const EVALUATION_MODES = ["keyword", "semantic", "hybrid"] as const;

export type EvaluationMode = (typeof EVALUATION_MODES)[number];

/** Each mode, as it searches by default. */
export const DEFAULT_SETTINGS: readonly EvaluationSetting[] = EVALUATION_MODES.map((mode) => ({ name: mode, mode }));

const { query, includeMetadata, includeRelationships, includeHighlights, explain, ...searchShape } = searchSchema.shape;

export const settingSchema = z.strictObject({
  // What is left out is the engine's to fill in: a report shows what was given.
  ...Object.fromEntries(Object.entries(searchShape).map(([name, option]) => [name, withoutDefault(option).optional()])),
  name: z.string().trim().min(1).max(64),
  namespace: z.string().min(1).optional(),
  embedding: z.looseObject({ provider: z.string().min(1) }).optional(),
});

function withoutDefault(option: z.core.$ZodType): z.ZodType {
  return (option instanceof z.ZodDefault ? option.unwrap() : option) as z.ZodType;
}

/** @throws KnowledgeBaseError `invalid_input`, also for two settings of the same name */
export function checkSettings(settings: readonly EvaluationSetting[]): readonly EvaluationSetting[] {
  const checked = parseInput(z.array(settingSchema).min(1), settings, ["settings"]) as readonly EvaluationSetting[];
  for (const [index, { name }] of checked.entries()) {
    if (checked.findIndex((other) => other.name === name) === index) continue;
    const message = `is ${JSON.stringify(name)}, as that of an earlier setting`;
    const issues = [{ field: `settings[${index}].name`, message }];
    throw new KnowledgeBaseError("invalid_input", `settings[${index}].name ${message}`, { issues });
  }
  return checked;
}
