import { z } from "../vendor/zod.js";
import { MAX_QUERY_LENGTH } from "./query-length.js";
import { strict } from "./strict.js";

/** In milliseconds. */
export const rerankTimeoutSchema = z.int().min(1).max(600_000);

/** Default mode of the library and the command line. The HTTP API has its own default. */
export const DEFAULT_MODE = "hybrid";

const querySchema = z.string().min(1).max(MAX_QUERY_LENGTH);

/** Validated by the filter's own parser. */
const filterSchema = z.custom<object>((value) => value !== undefined);

const boostSchema = z
  .strictObject({
    weight: z.number().gt(0).max(1),
    filter: filterSchema.optional(),
    newest: z.string().min(1).optional(),
    halfLifeDays: z.number().gt(0).optional(),
  })
  .refine(({ filter, newest }) => (filter === undefined) !== (newest === undefined), "needs either filter or newest")
  .refine(({ newest, halfLifeDays }) => (newest === undefined) === (halfLifeDays === undefined), {
    error: "halfLifeDays and newest need each other",
  });

/** The fields of a search that can be explained. */
export const searchShape = {
  query: querySchema,
  mode: z.enum(["semantic", "keyword", "hybrid"]).default(DEFAULT_MODE),
  topK: z.int().min(1).max(100).default(10),
  perDocument: z.int().min(1).max(100).optional(),
  maxSimilarity: z.number().min(0).max(1).optional(),
  diversity: z.number().min(0).max(1).optional(),
  rerank: z.boolean().default(true),
  rerankLimit: z.int().min(1).max(100).optional(),
  rerankModel: z.string().min(1).optional(),
  filter: filterSchema.optional(),
  rerankTimeoutMs: rerankTimeoutSchema.optional(),
  minScore: z.number().min(0).max(1).optional(),
  fusion: z.enum(["convex", "rrf"]).default("convex"),
  semanticWeight: z.number().min(0).max(1).optional(),
  typoTolerance: z.boolean().default(true),
  keywordFilter: z.string().max(MAX_QUERY_LENGTH).optional(),
  includeRelationships: z.boolean().default(false),
  includeMetadata: z.boolean().default(true),
  includeHighlights: z.boolean().default(false),
  explain: z.boolean().default(false),
};

export const searchSchema = strict({
  ...searchShape,
  alternatives: z.array(querySchema).max(7).default([]),
  boosts: z.array(boostSchema).max(8).default([]),
  neighbourTokens: z.int().min(1).max(100_000).optional(),
});

export const explainSchema = strict({ ...searchShape, documentId: z.string().min(1) });

const similarShape = searchSchema.pick({
  topK: true,
  perDocument: true,
  filter: true,
  keywordFilter: true,
  minScore: true,
  boosts: true,
  neighbourTokens: true,
  includeRelationships: true,
  includeMetadata: true,
}).shape;

export const similarSchema = strict({ ...similarShape, passageId: z.string().min(1) });
