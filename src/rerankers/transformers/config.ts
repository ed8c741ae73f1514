import { isModelNameOrPath, modelNameOrPathRule } from "../../local-models/model-source.js";
import { z } from "../../vendor/zod.js";

/** The vendor in the names of local cross-encoders. */
export const TRANSFORMERS_VENDOR = "transformers";
/** Trained on MS MARCO, English; 22 million parameters, 23 MB. */
const DEFAULT_MODEL = "Xenova/ms-marco-MiniLM-L-6-v2";

export const transformersRerankerSchema = z.strictObject({
  provider: z.literal(TRANSFORMERS_VENDOR),
  model: z.string().refine(isModelNameOrPath, modelNameOrPathRule(DEFAULT_MODEL)).default(DEFAULT_MODEL),
});

export type TransformersRerankerConfig = z.infer<typeof transformersRerankerSchema>;
