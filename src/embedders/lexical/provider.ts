import type { Embedder } from "../../interfaces/embedder.js";
import type { Provider } from "../../interfaces/provider.js";
import { z } from "../../vendor/zod.js";
import { pooledEmbedder } from "../pooled-embedder.js";
import { LEXICAL_DIMENSIONS } from "./vector.js";

const PROVIDER = "MANAGED_LEXICAL";
const MODEL = "hash-1024";

/** Low, because hashes of words add little to keyword search. */
const SEMANTIC_WEIGHT = 0.1;

const configSchema = z.strictObject({
  provider: z.literal(PROVIDER),
  model: z.literal(MODEL).default(MODEL),
});

export type LexicalConfig = z.infer<typeof configSchema>;

export interface LexicalOptions {
  /** Number of worker threads. Each embeds several thousand texts of 1,000 characters per second. @default 1 */
  readonly threads?: number;
}

/**
 * Creates an embedder that needs no model: texts that share words, or parts of words, get similar vectors, in any
 * script. A text has the same vector as `query` and as `document`. A token is a word or, in scripts written without
 * spaces, a character. No thread starts before the first call.
 */
export function lexicalEmbedder({ threads = 1 }: LexicalOptions = {}): Embedder {
  const entry = new URL("./thread.cjs", import.meta.url);
  return pooledEmbedder(
    { provider: PROVIDER, model: MODEL, dimensions: LEXICAL_DIMENSIONS, semanticWeight: SEMANTIC_WEIGHT },
    { entry, name: "lorebase lexical embedder", maxThreads: threads },
  );
}

/** The provider `MANAGED_LEXICAL`, which needs no download and never fails to load. */
export const lexicalProvider: Provider<LexicalConfig, Embedder> = {
  provider: PROVIDER,
  config: configSchema,
  async create() {
    return lexicalEmbedder();
  },
};
