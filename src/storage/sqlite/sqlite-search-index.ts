import type { CallOptions } from "../../types.js";
import { vectorToBytes } from "../../util/float32-bytes.js";
import type { SearchIndex } from "../search-index.js";
import type { DatabaseThread } from "./database-thread.js";
import { type DatabaseThreads, SCAN_HELPERS } from "./open-threads.js";
import type { INDEX_PROCEDURES } from "./search-index/procedures.js";
import type { ScanLimits } from "./search-index/scope-indexes.js";

/** One gibibyte holds SQ8 codes of some 2,600,000 vectors of 384 dimensions, or of 1,500,000 with their 4-bit codes. */
const DEFAULT_SCAN: ScanLimits = {
  memoryBytes: 2 ** 30,
  fromChunks: 1000,
  deriveFrom: 50_000,
  helpers: SCAN_HELPERS,
};

/** How often maintenance compares the list of vector files with those on disk. */
const RECONCILE_INTERVAL_MS = 10 * 60_000;
/** How far from 1 a length may be to count as 1: what f32 rounds. */
const ROUNDING = 1e-6;

/** The search index in the threads of a database. */
export function sqliteSearchIndex(
  { writer, readers, scanner }: DatabaseThreads,
  nextReader: () => DatabaseThread,
  scan: Partial<ScanLimits>,
): SearchIndex {
  const limits = { ...DEFAULT_SCAN, ...scan };
  let reconciledAt = 0;
  const run = <Result>(
    thread: DatabaseThread,
    verb: keyof typeof INDEX_PROCEDURES,
    argument: unknown,
    options: CallOptions = {},
  ) => thread.request<Result>({ kind: "procedure", name: `index.${verb}`, argument }, options);
  return {
    keywordSearch: (search, options) => run(nextReader(), "keywordSearch", search, options),
    livePassages: (question, options) => run(nextReader(), "livePassages", question, options),
    liveChunks: (question, options) => run(nextReader(), "liveChunks", question, options),
    neighbours: (question, options) => run(nextReader(), "neighbours", question, options),
    highlights: (question, options) => run(nextReader(), "highlights", question, options),
    termsFound: (question, options) => run(nextReader(), "termsFound", question, options),
    documentStanding: (question, options) => run(nextReader(), "documentStanding", question, options),
    filterKeys: (question, options) => run(nextReader(), "filterKeys", question, options),
    cachedVectors: (question, options) => run(nextReader(), "cachedVectors", question, options),
    readChunks: (question, options) => run(nextReader(), "readChunks", question, options),
    chunkOrdinals: (question, options) => run(nextReader(), "chunkOrdinals", question, options),
    chunkGenerations: (question, options) => run(nextReader(), "chunkGenerations", question, options),
    writeVectors(vectors, options) {
      const stored = vectors.map((chunk) => ({ ...chunk, vector: vectorToBytes(unitVector(chunk.vector)) }));
      return run(writer, "writeVectors", { vectors: stored }, options);
    },
    removeVectors: (scope, target, options) => run(writer, "removeVectors", { scope, target }, options),
    maintain(options) {
      const reconcile = Date.now() - reconciledAt > RECONCILE_INTERVAL_MS;
      if (reconcile) reconciledAt = Date.now();
      return run(writer, "maintain", { reconcile }, options);
    },
    // On one reader only: its indexes would take the same memory again in another.
    vectorSearch(search, options) {
      const argument = { ...search, vector: vectorToBytes(unitVector(search.vector)), limits };
      return run(scanner, "vectorSearch", argument, options);
    },
    async warmUp(scope, dimensions, options) {
      await Promise.all(
        readers.map((reader) => {
          const argument = { scope, dimensions: reader === scanner ? dimensions : null, limits };
          return run(reader, "warmUp", argument, options);
        }),
      );
    },
  };
}

/**
 * Scales a vector to length 1: sqlite-vec sums squares in f32, which overflow or vanish for very long or short vectors.
 */
function unitVector(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 || Math.abs(norm - 1) < ROUNDING ? vector : vector.map((value) => value / norm);
}
