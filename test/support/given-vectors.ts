import { z } from "zod";
import type { Embedder } from "../../src/interfaces/embedder.js";
import type { Provider } from "../../src/interfaces/provider.js";

/** Embedders of any number of dimensions that look up what a test has given for a text. */
export function givenVectors(
  vectors: ReadonlyMap<string, Float32Array>,
): Provider<{ provider: string; dimensions: number }, Embedder> {
  return {
    provider: "GIVEN",
    config: z.strictObject({ provider: z.literal("GIVEN"), dimensions: z.int() }),
    create: async ({ dimensions }) => ({
      provider: "GIVEN",
      model: "given-1",
      dimensions,
      maxInputTokens: null,
      cacheable: false,
      embed: async (texts) => texts.map((text) => vectors.get(text)!),
      countTokens: async (texts) => texts.map((text) => text.length),
    }),
  };
}
