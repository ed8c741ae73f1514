import type { Embedder, Provider } from "lorebase";
import { z } from "zod";
import { VectorFile } from "../data/vector-file.js";
import type { Workload } from "../workload.js";

const config = z.object({ provider: z.literal("PREPARED") });
const ROW = /^row (\d+)/;

/**
 * An embedder with prepared vectors, so that no model is measured. The text of a chunk begins with `row` and its
 * number; the vector of a query is set before. Like cheap models, it does not use the embedding cache, which would
 * store each vector of a text once more.
 */
export class PreparedEmbedder {
  readonly config = { provider: "PREPARED" } as const;
  readonly provider: Provider<z.infer<typeof config>, Embedder>;
  #query: Float32Array | null = null;

  constructor({ kind, file, dimensions }: Workload) {
    const vectors = kind === "vectors" ? new VectorFile(file, dimensions) : null;
    const ofRow = (text: string) => {
      const row = Number(ROW.exec(text)?.[1] ?? 0);
      return vectors ? vectors.read(row, 1) : axis(row, dimensions);
    };
    const embedder: Embedder = {
      provider: "PREPARED",
      model: "prepared",
      dimensions,
      maxInputTokens: null,
      maxBatchSize: 256,
      cacheable: false,
      embed: async (texts, { purpose }) => (purpose === "query" ? texts.map(() => this.#query!) : texts.map(ofRow)),
      countTokens: async (texts) => texts.map(() => 1),
      close: async () => vectors?.close(),
    };
    this.provider = { provider: "PREPARED", config, create: async () => embedder };
  }

  /** Sets the vector of the next query. */
  expect(vector: Float32Array): void {
    this.#query = vector;
  }
}

/** For texts of keyword searches. */
function axis(row: number, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[row % dimensions] = 1;
  return vector;
}
