import type { CallOptions } from "../../types.js";
import { vectorToBytes } from "../../util/float32-bytes.js";
import { readOnlyError } from "../read-only-error.js";
import type { SearchIndex } from "../search-index.js";
import { unitVector } from "../unit-vector.js";
import type { DatabaseThread } from "./database-thread.js";
import { type DatabaseThreads, SCAN_HELPER_COUNT } from "./open-threads.js";
import type { INDEX_PROCEDURES } from "./search-index/procedures.js";
import type { ScanLimits } from "./search-index/scope-indexes.js";

/** One GiB holds the SQ8 codes of about 2,600,000 vectors of 384 dimensions, or of 1,500,000 with 4-bit codes too. */
const DEFAULT_LIMITS: ScanLimits = {
  memoryBytes: 2 ** 30,
  minChunks: 1000,
  minDerivedRecords: 50_000,
  helpers: SCAN_HELPER_COUNT,
};

/** How often maintenance compares the listed vector files with those on disk. */
const RECONCILE_INTERVAL_MS = 10 * 60_000;

/** Creates the search index, which runs in the threads of a database. */
export function sqliteSearchIndex(
  { writer, readers, scanner }: DatabaseThreads,
  nextReader: () => DatabaseThread,
  scan: Partial<ScanLimits>,
): SearchIndex {
  const limits = { ...DEFAULT_LIMITS, ...scan };
  let reconciledAt = 0;
  const run = <Result>(
    thread: DatabaseThread | null,
    verb: keyof typeof INDEX_PROCEDURES,
    argument: unknown,
    options: CallOptions = {},
  ) => {
    if (thread === null) return Promise.reject(readOnlyError(`index.${verb}`));
    return thread.request<Result>({ kind: "procedure", name: `index.${verb}`, argument }, options);
  };
  return {
    keywordSearch: (search, options) => run(nextReader(), "keywordSearch", search, options),
    livePassages: (query, options) => run(nextReader(), "livePassages", query, options),
    liveChunks: (query, options) => run(nextReader(), "liveChunks", query, options),
    neighbours: (query, options) => run(nextReader(), "neighbours", query, options),
    highlights: (query, options) => run(nextReader(), "highlights", query, options),
    chunksByTerm: (query, options) => run(nextReader(), "chunksByTerm", query, options),
    documentEligibility: (query, options) => run(nextReader(), "documentEligibility", query, options),
    filterKeys: (query, options) => run(nextReader(), "filterKeys", query, options),
    facet: (query, options) => run(nextReader(), "facet", query, options),
    listPassages: (query, options) => run(nextReader(), "listPassages", query, options),
    cachedVectors: (query, options) => run(nextReader(), "cachedVectors", query, options),
    readChunks: (query, options) => run(nextReader(), "readChunks", query, options),
    chunkOrdinals: (query, options) => run(nextReader(), "chunkOrdinals", query, options),
    chunkGenerations: (query, options) => run(nextReader(), "chunkGenerations", query, options),
    writeVectors(vectors, options) {
      const stored = vectors.map((chunk) => ({ ...chunk, vector: vectorToBytes(unitVector(chunk.vector)) }));
      return run(writer, "writeVectors", { vectors: stored, vectorSet: options?.vectorSet }, options);
    },
    removeVectors: (scope, target, options) => run(writer, "removeVectors", { scope, target }, options),
    maintain(options) {
      const shouldReconcile = Date.now() - reconciledAt > RECONCILE_INTERVAL_MS;
      if (shouldReconcile) reconciledAt = Date.now();
      return run(writer, "maintain", { shouldReconcile }, options);
    },
    // Always runs on the same reader, since a second reader with vector indexes would need as much memory again.
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
