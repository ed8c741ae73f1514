import type { Embedder } from "../../interfaces/embedder.js";
import type { Provider } from "../../interfaces/provider.js";
import { z } from "../../vendor/zod.js";
import { pooledEmbedder } from "../pooled-embedder.js";
import { LEXICAL_DIMENSIONS } from "./vector.js";

const PROVIDER = "MANAGED_LEXICAL";
const MODEL = "hash-1024";

/** It hashes words, so it adds little to keyword search. */
const SEMANTIC_WEIGHT = 0.1;

const configSchema = z.strictObject({
  provider: z.literal(PROVIDER),
  model: z.literal(MODEL).default(MODEL),
});

export type LexicalConfig = z.infer<typeof configSchema>;

export interface LexicalOptions {
  /** Worker threads; one embeds several thousand texts of 1,000 characters a second. @default 1 */
  readonly threads?: number;
}

/**
 * The embedder that needs no model: texts that share words, or parts of words, get similar vectors, in any script.
 * Vectors depend on nothing but the text, so `query` and `document` are the same. A token is a word; in scripts written
 * without spaces it is a character. No thread runs before the first call.
 */
export function lexicalEmbedder({ threads = 1 }: LexicalOptions = {}): Embedder {
  const entry = new URL("./thread.js", import.meta.url);
  return pooledEmbedder(
    { provider: PROVIDER, model: MODEL, dimensions: LEXICAL_DIMENSIONS, semanticWeight: SEMANTIC_WEIGHT },
    { entry, name: "lorebase lexical embedder", maxThreads: threads },
  );
}

/** `MANAGED_LEXICAL`: needs no download and never fails to load. */
export const lexicalProvider: Provider<LexicalConfig, Embedder> = {
  provider: PROVIDER,
  config: configSchema,
  async create() {
    return lexicalEmbedder();
  },
};
