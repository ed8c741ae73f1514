import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";
import type { Embedder } from "../../interfaces/embedder.js";
import type { Provider } from "../../interfaces/provider.js";
import { isModelPath } from "../../local-models/model-source.js";
import { withoutForeignFunctionWords } from "../../text-analysis/language.js";
import { z } from "../../vendor/zod.js";
import { LEXICAL_DIMENSIONS } from "../lexical/vector.js";
import { pooledEmbedder } from "../pooled-embedder.js";
import { HEADER_BYTES, readShape } from "./table-file.js";
import type { StaticSetup } from "./thread.js";

const PROVIDER = "MANAGED_STATIC";
const MODEL = "static-1";

/** Chosen on the benchmarks chunkeval and npl, like LEARNED_WEIGHT. */
const SEMANTIC_WEIGHT = 0.2;
const UNRELATED_SIMILARITY = 0;

const MODEL_RULE = `must be ${MODEL}, or the path of a table: absolute, or beginning with ./ or ../`;
const configSchema = z.strictObject({
  provider: z.literal(PROVIDER),
  model: z
    .string()
    .refine((model) => model === MODEL || (isModelPath(model) && !model.includes("\0")), MODEL_RULE)
    .default(MODEL),
});

type StaticConfig = z.infer<typeof configSchema>;

export interface StaticOptions {
  /** `static-1`, which is in the package, or the path of a table created by `npm run train`. @default "static-1" */
  readonly model?: string;
  /** Number of worker threads, each with its own copy of the table (15 MB with the index). @default 1 */
  readonly threads?: number;
}

/**
 * Creates a semantic embedder that needs no download. A vector is the sum of the learned vectors of word pieces,
 * concatenated with the lexical embedder's vector. The embedder is trained on English; in other languages it mostly
 * matches words. A text has the same vector as `query` and as `document`, except that a query is embedded without the
 * function words of another language: what the table has learned makes only those of English count little. A token is
 * a piece, a word without pieces or, in scripts written without spaces, a character. Each worker thread reads the table
 * with its first text.
 *
 * @throws KnowledgeBaseError `not_ready` if the table cannot be read, `provider_failed` if it is invalid
 */
export async function staticEmbedder({ model = MODEL, threads = 1 }: StaticOptions = {}): Promise<Embedder> {
  const tablePath =
    model === MODEL ? fileURLToPath(new URL("../../../models/static-1.bin", import.meta.url)) : resolve(model);
  const dimensions = (await readFileShape(tablePath)).dimensions + LEXICAL_DIMENSIONS;
  const embedder = pooledEmbedder(
    {
      provider: PROVIDER,
      model,
      dimensions,
      semanticWeight: SEMANTIC_WEIGHT,
      unrelatedSimilarity: UNRELATED_SIMILARITY,
    },
    {
      entry: new URL("./thread.cjs", import.meta.url),
      name: "lorebase static embedder",
      maxThreads: threads,
      workerData: { tablePath } satisfies StaticSetup,
    },
  );
  return {
    ...embedder,
    embed: (texts, options) =>
      embedder.embed(options.purpose === "query" ? texts.map(withoutForeignFunctionWords) : texts, options),
  };
}

/** The provider `MANAGED_STATIC`, for semantic search without a download. */
export const staticProvider: Provider<StaticConfig, Embedder> = {
  provider: PROVIDER,
  config: configSchema,
  create: ({ model }) => staticEmbedder({ model }),
};

async function readFileShape(tablePath: string) {
  const header = new Uint8Array(HEADER_BYTES);
  try {
    const file = await open(tablePath);
    try {
      await file.read(header, 0, HEADER_BYTES, 0);
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new KnowledgeBaseError(
      "not_ready",
      `The embedder's table of vectors cannot be read: ${getErrorMessage(cause)}`,
      {
        cause,
      },
    );
  }
  return readShape(header, tablePath);
}
