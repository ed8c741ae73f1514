import { isModelName } from "../../local-models/model-source.js";
import { z } from "../../vendor/zod.js";

/** The vendor in the names of local cross-encoders. */
export const TRANSFORMERS_VENDOR = "transformers";
/** Trained on MS MARCO, English; 22 million parameters, 23 MB. */
const DEFAULT_MODEL = "Xenova/ms-marco-MiniLM-L-6-v2";
const MODEL_RULE =
  "must be a name on the hub, as in Xenova/ms-marco-MiniLM-L-6-v2, or a folder's path: absolute, or beginning with ./ or ../";

export const transformersRerankerSchema = z.strictObject({
  provider: z.literal(TRANSFORMERS_VENDOR),
  model: z.string().refine(isModelName, MODEL_RULE).default(DEFAULT_MODEL),
});

export type TransformersRerankerConfig = z.infer<typeof transformersRerankerSchema>;
