import { serve } from "../../rpc/serve.js";
import type { TextOperations } from "../pooled-embedder.js";
import { LEXICAL_DIMENSIONS, LexicalHasher } from "./vector.js";

const hasher = new LexicalHasher();

serve<TextOperations>({
  embed(texts) {
    const vectors = new Float32Array(texts.length * LEXICAL_DIMENSIONS);
    texts.forEach((text, index) => {
      const start = index * LEXICAL_DIMENSIONS;
      hasher.embed(text, vectors.subarray(start, start + LEXICAL_DIMENSIONS));
    });
    return { vectors, tokenCounts: countTokens(texts) };
  },
  countTokens,
});

function countTokens(texts: readonly string[]): Uint32Array {
  return Uint32Array.from(texts, (text) => hasher.countTokens(text));
}
