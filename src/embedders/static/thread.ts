import { readFileSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { serve } from "../../rpc/serve.js";
import type { TextOperations } from "../pooled-embedder.js";
import { readTable } from "./table-file.js";
import { LEARNED_WEIGHT, TextEmbedder } from "./text-embedder.js";

export interface StaticSetup {
  readonly tablePath: string;
}

const { tablePath } = workerData as StaticSetup;
let cachedEmbedder: TextEmbedder | undefined;

serve<TextOperations>({
  embed(texts) {
    const embedder = getEmbedder();
    const { dimensions } = embedder;
    const vectors = new Float32Array(texts.length * dimensions);
    const tokenCounts = texts.map((text, index) =>
      embedder.embed(text, vectors.subarray(index * dimensions, (index + 1) * dimensions)),
    );
    return { vectors, tokenCounts: Uint32Array.from(tokenCounts) };
  },
  countTokens: (texts) => Uint32Array.from(texts, (text) => getEmbedder().countTokens(text)),
});

/** Returns the embedder; the first call reads the table. */
function getEmbedder(): TextEmbedder {
  cachedEmbedder ??= new TextEmbedder(readTable(readFileSync(tablePath), tablePath), LEARNED_WEIGHT);
  return cachedEmbedder;
}
