import type { Embedder, Provider } from "lorebase";
import { z } from "zod";
import { Mixture } from "./search/data/mixture.js";

const config = z.object({ provider: z.literal("MIXTURE") });
const DIMENSIONS = 384;

/** An embedder that draws a text's vector from a mixture of clusters, so that no model is measured. */
export function mixtureEmbedder(): Provider<z.infer<typeof config>, Embedder> {
  const mixture = new Mixture(DIMENSIONS);
  const embedder: Embedder = {
    provider: "MIXTURE",
    model: "mixture",
    dimensions: DIMENSIONS,
    maxInputTokens: null,
    maxBatchSize: 256,
    cacheable: false,
    embed: async (texts) => texts.map((text) => mixture.draw(1, hashOf(text))[0]!),
    countTokens: async (texts) => texts.map(() => 1),
  };
  return { provider: "MIXTURE", config, create: async () => embedder };
}

/** FNV-1a with 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
