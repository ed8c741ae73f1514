import { isModelNameOrPath, modelNameOrPathRule } from "../../local-models/model-source.js";
import { z } from "../../vendor/zod.js";
import { POOLINGS } from "./model-families.js";

export const TRANSFORMERS_PROVIDER = "MANAGED_TRANSFORMERS";
const DEFAULT_MODEL = "Xenova/all-MiniLM-L6-v2";
const DTYPES = ["fp32", "fp16", "q8", "int8", "uint8", "q4", "q4f16", "bnb4"] as const;

export const transformersConfigSchema = z.strictObject({
  provider: z.literal(TRANSFORMERS_PROVIDER),
  model: z.string().refine(isModelNameOrPath, modelNameOrPathRule(DEFAULT_MODEL)).default(DEFAULT_MODEL),
  dtype: z.enum(DTYPES).default("q8"),
  pooling: z.enum(POOLINGS).optional(),
  queryPrefix: z.string().max(1_000).optional(),
  documentPrefix: z.string().max(1_000).optional(),
});

export type TransformersConfig = z.infer<typeof transformersConfigSchema>;
