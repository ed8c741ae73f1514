import type { IngestConfig } from "../types.js";
import { z } from "../vendor/zod.js";
import { metadataSchema } from "./metadata-schema.js";
import { principalsSchema } from "./principals-schema.js";
import { strict } from "./strict.js";

export const DEFAULT_CHUNK_SIZE = 2048;

const MAX_CHUNK_SIZE = 65_536;

const optionalFlagSchema = z.boolean().optional();

const chunkingShape = {
  chunkSize: z.int().min(32).max(MAX_CHUNK_SIZE).optional(),
  chunkOverlap: z.number().min(0).optional(),
  maxChunkSize: z
    .number()
    .min(32)
    .max(2 * MAX_CHUNK_SIZE)
    .optional(),
  delimiter: z.string().min(1).max(1000).optional(),
};

export const configShape = {
  ...chunkingShape,
  metadata: metadataSchema.optional(),
  allow: principalsSchema.optional(),
  disableImageExtraction: optionalFlagSchema,
  disableImageCaptions: optionalFlagSchema,
  chartUnderstanding: optionalFlagSchema,
  keepPageheaderInOutput: optionalFlagSchema,
  keepPagefooterInOutput: optionalFlagSchema,
  forceOcr: optionalFlagSchema,
  disableOcrMath: optionalFlagSchema,
  useLlm: optionalFlagSchema,
  languageCode: z
    .string()
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, "must be a language tag such as en or pt-BR")
    .optional(),
  mode: z.enum(["fast", "balanced", "accurate"]).optional(),
};

/** Returns the chunk sizes of a config, with defaults. */
export function resolveChunkSizes(config: Pick<IngestConfig, "chunkSize" | "maxChunkSize" | "chunkOverlap">): {
  chunkSize: number;
  maxChunkSize: number;
  chunkOverlap: number;
} {
  const limit = config.maxChunkSize ?? Number.POSITIVE_INFINITY;
  const chunkSize = config.chunkSize ?? Math.min(DEFAULT_CHUNK_SIZE, Math.floor(limit));
  return {
    chunkSize,
    maxChunkSize: Math.floor(config.maxChunkSize ?? 2 * chunkSize),
    chunkOverlap: Math.floor(config.chunkOverlap ?? 0),
  };
}

export function checkChunkSizes(config: z.infer<typeof uncheckedConfigSchema>, context: z.RefinementCtx): void {
  const { chunkSize, maxChunkSize, chunkOverlap } = resolveChunkSizes(config);
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message, input: undefined });
  if (chunkOverlap >= chunkSize)
    refuse("chunkOverlap", `must be below chunkSize: ${chunkOverlap} is not below ${chunkSize}`);
  if (maxChunkSize < chunkSize)
    refuse("maxChunkSize", `must be at least chunkSize: ${maxChunkSize} is below ${chunkSize}`);
}

export const uncheckedConfigSchema = strict(configShape);

export const ingestConfigSchema = uncheckedConfigSchema.superRefine(checkChunkSizes);

/** How a job's documents are chunked from now on. */
export const reingestSchema = strict({ chunking: strict(chunkingShape).superRefine(checkChunkSizes).optional() });
