import { readFileSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { serve } from "../../rpc/serve.js";
import type { TextOperations } from "../pooled-embedder.js";
import { readTable } from "./table-file.js";
import { LEARNED_WEIGHT, TextEmbedder } from "./text-embedder.js";

export interface StaticSetup {
  /** Path of the table. */
  readonly table: string;
}

const { table } = workerData as StaticSetup;
let opened: TextEmbedder | undefined;

serve<TextOperations>({
  embed(texts) {
    const embedder = open();
    const { dimensions } = embedder;
    const vectors = new Float32Array(texts.length * dimensions);
    const tokens = texts.map((text, index) =>
      embedder.embed(text, vectors.subarray(index * dimensions, (index + 1) * dimensions)),
    );
    return { vectors, tokens: Uint32Array.from(tokens) };
  },
  countTokens: (texts) => Uint32Array.from(texts, (text) => open().countTokens(text)),
});

/** The table is read with the first text. */
function open(): TextEmbedder {
  opened ??= new TextEmbedder(readTable(readFileSync(table), table), LEARNED_WEIGHT);
  return opened;
}
