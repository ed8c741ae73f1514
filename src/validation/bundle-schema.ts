import { z } from "../vendor/zod.js";
import { strict } from "./strict.js";

const signal = z.custom<AbortSignal>().optional();

export const exportOptionsSchema = strict({
  includeOriginals: z.boolean().optional(),
  skipDamaged: z.boolean().optional(),
  signal,
});

export const importOptionsSchema = strict({
  slug: z.string().optional(),
  name: z.string().optional(),
  embeddingConfig: z.looseObject({ provider: z.string().min(1) }).optional(),
  reembed: z.boolean().optional(),
  signal,
});
