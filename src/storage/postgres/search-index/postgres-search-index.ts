import type { KnowledgeBaseError } from "../../../errors.js";
import type { IndexedChunks, SearchIndex } from "../../search-index.js";
import { unitVector } from "../../unit-vector.js";
import { analyzeTexts, textsOf } from "./analyzed-chunks.js";
import type { StoredBlock } from "./block-form.js";
import { cachedVectors, chunkGenerations, chunkOrdinals, readChunks } from "./chunk-reads.js";
import type { IndexDatabase } from "./index-database.js";
import { MaintenancePace } from "./maintenance-pace.js";
import type { CacheLimits } from "./scope-caches.js";
import { SearchThread } from "./search-thread-client.js";
import { removeVectors, writeVectors } from "./write-vectors.js";

/** A search index in PostgreSQL, whose threads the caller closes. */
export interface PostgresSearchIndex extends SearchIndex {
  /** Computes the words of chunks to write: at once if there are few, else in a thread. */
  analyze(batch: IndexedChunks): StoredBlock | Promise<StoredBlock>;
  /** Returns the memory of the indexes of this process. */
  scanMemoryBytes(): Promise<number>;
  /** Refuses all further calls of the threads with an error. */
  refuse(error: KnowledgeBaseError): void;
  /** Completes pending searches, and ends the threads. */
  close(): Promise<void>;
}

interface PostgresSearchIndexOptions extends Partial<Omit<CacheLimits, "memoryBytes">> {
  /** Runs writes, and reads that search nothing. */
  readonly database: IndexDatabase;
  /** The database's address, for the connections of the threads. */
  readonly connection: { readonly connectionString: string };
  /** The maximum memory of the indexes of this process. */
  readonly memoryBytes: number;
}

/** Texts with fewer characters are analyzed at once, which takes less than a millisecond. */
const MIN_THREAD_CHARACTERS = 4096;

const DEFAULT_LIMITS = { minVectors: 256, minDerivedRecords: 50_000, blockChunks: 1024 };

/**
 * Creates the search index. Searches run in a thread with indexes in memory; maintenance and the analysis of large
 * documents run in two others. Each starts when it is first needed.
 */
export function postgresSearchIndex({
  database,
  connection,
  ...limits
}: PostgresSearchIndexOptions): PostgresSearchIndex {
  const settings = { url: connection.connectionString, limits: { ...DEFAULT_LIMITS, ...limits } };
  const searcher = new SearchThread(settings);
  const maintainer = new SearchThread(settings);
  const analyst = new SearchThread(settings);
  const pace = new MaintenancePace();
  return {
    keywordSearch: (search, options) => searcher.call("keywordSearch", search, options),
    vectorSearch: (search, options) =>
      searcher.call("vectorSearch", { ...search, vector: unitVector(search.vector).slice() }, options),
    livePassages: (query, options) => searcher.call("livePassages", query, options),
    liveChunks: (query, options) => searcher.call("liveChunks", query, options),
    neighbours: (query, options) => searcher.call("neighbours", query, options),
    highlights: (query, options) => searcher.call("highlights", query, options),
    chunksByTerm: (query, options) => searcher.call("chunksByTerm", query, options),
    documentEligibility: (query, options) => searcher.call("documentEligibility", query, options),
    filterKeys: (query, options) => searcher.call("filterKeys", query, options),
    facet: (query, options) => searcher.call("facet", query, options),
    listPassages: (query, options) => searcher.call("listPassages", query, options),
    warmUp: (scope, dimensions, options) => searcher.call("warmUp", { scope, dimensions }, options),
    maintain: (options) =>
      pace.run(
        () => maintainer.call("maintain", {}, options),
        () => database.isWriting,
        options?.signal,
      ),
    writeVectors: (vectors, options) => database.write((tx) => writeVectors(tx, vectors, options?.vectorSet), options),
    removeVectors: (scope, target, options) => database.write((tx) => removeVectors(tx, { scope, target }), options),
    cachedVectors: (query, options) => database.read((tx) => cachedVectors(tx, query), options),
    readChunks: (query, options) => database.read((tx) => readChunks(tx, query), options),
    chunkOrdinals: (query, options) => database.read((tx) => chunkOrdinals(tx, query), options),
    chunkGenerations: (query, options) => database.read((tx) => chunkGenerations(tx, query), options),
    analyze(batch) {
      const texts = textsOf(batch);
      const characters = texts.texts.reduce((sum, { length }) => sum + length, 0);
      return characters < MIN_THREAD_CHARACTERS ? analyzeTexts(texts) : analyst.call("analyze", texts);
    },
    scanMemoryBytes: async () => (searcher.isStarted ? searcher.call("scanMemory", {}) : 0),
    refuse(error) {
      for (const thread of [searcher, maintainer, analyst]) thread.refuse(error);
    },
    async close() {
      await Promise.all([searcher.close(), maintainer.close(), analyst.close()]);
    },
  };
}
