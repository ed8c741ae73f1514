import { workerData } from "node:worker_threads";
import { serve } from "../../../rpc/serve.js";
import type { Scope } from "../../../types.js";
import type {
  DocumentEligibility,
  EligibilityQuery,
  FacetQuery,
  FacetValues,
  FilterKeys,
  KeywordRanking,
  KeywordSearch,
  ListedPassages,
  LivePassages,
  Neighbours,
  PassagesQuery,
  SearchIndex,
  TermsQuery,
  VectorRanking,
  VectorSearch,
} from "../../search-index.js";
import { PostgresDatabase } from "../postgres-database.js";
import { type AnalyzedTexts, analyzeTexts } from "./analyzed-chunks.js";
import type { StoredBlock } from "./block-form.js";
import { facet } from "./facet.js";
import { documentEligibility, filterKeys, highlights, liveChunks } from "./inspect-chunks.js";
import { chunksByTerm, keywordSearch } from "./keyword-search.js";
import { listPassages } from "./list-passages.js";
import { livePassages, neighbours } from "./passages.js";
import { type CacheLimits, ScopeCaches } from "./scope-caches.js";
import { sealBlocks } from "./seal-blocks.js";
import { findScope } from "./searched-scope.js";
import { type Snapshot, SnapshotQueue } from "./snapshot.js";
import { vectorSearch } from "./vector-search.js";

/** The settings with which a search thread starts. */
export interface SearchThreadSettings {
  readonly url: string;
  readonly limits: CacheLimits;
}

type Query<Verb extends keyof SearchIndex> = Parameters<SearchIndex[Verb]>[0];
type Answer<Verb extends keyof SearchIndex> = ReturnType<SearchIndex[Verb]>;

/** The calls of a search thread, which runs them one at a time. */
export interface SearchCalls {
  keywordSearch(search: KeywordSearch): Promise<KeywordRanking>;
  vectorSearch(search: VectorSearch): Promise<VectorRanking>;
  livePassages(query: Query<"livePassages">): Promise<LivePassages>;
  liveChunks(query: Query<"liveChunks">): Answer<"liveChunks">;
  neighbours(query: Query<"neighbours">): Promise<readonly Neighbours[]>;
  highlights(query: Query<"highlights">): Answer<"highlights">;
  chunksByTerm(query: TermsQuery): Answer<"chunksByTerm">;
  documentEligibility(query: EligibilityQuery): Promise<DocumentEligibility>;
  filterKeys(query: Query<"filterKeys">): Promise<FilterKeys>;
  facet(query: FacetQuery): Promise<FacetValues>;
  listPassages(query: PassagesQuery): Promise<ListedPassages>;
  warmUp(request: { readonly scope: Scope; readonly dimensions: number | null }): Promise<void>;
  analyze(texts: AnalyzedTexts): StoredBlock;
  maintain(request: object): Promise<boolean>;
  /** Returns the memory of the indexes, in bytes. */
  scanMemory(request: object): number;
  close(request: object): Promise<void>;
}

// The code of a search thread, which has connections and indexes of its own.
const { url, limits } = workerData as SearchThreadSettings;
const database = PostgresDatabase.open(url);
// A failure to load the package pg is reported by each call.
database.catch(() => {});
const caches = new ScopeCaches(limits);
const queue = new SnapshotQueue({
  read: async (operation, options) => (await database).read(operation, options),
  write: async (operation, options) => (await database).write(operation, options),
});
/** Scopes whose last step of maintenance failed. */
const unsealable = new Set<number>();
const read = <Result>(work: (db: Snapshot) => Promise<Result>) => queue.read(work);

serve<SearchCalls>({
  keywordSearch: (search) => read((db) => keywordSearch(db, caches, search)),
  vectorSearch: (search) => read((db) => vectorSearch(db, caches, search)),
  livePassages: (query) => read((db) => livePassages(db, query)),
  liveChunks: (query) => read((db) => liveChunks(db, caches, query)),
  neighbours: (query) => read((db) => neighbours(db, query)),
  highlights: (query) => read((db) => highlights(db, caches, query)),
  chunksByTerm: (query) => read((db) => chunksByTerm(db, caches, query)),
  documentEligibility: (query) => read((db) => documentEligibility(db, caches, query)),
  filterKeys: (query) => read((db) => filterKeys(db, query)),
  facet: (query) => read((db) => facet(db, query)),
  listPassages: (query) => read((db) => listPassages(db, caches, query)),
  warmUp: ({ scope, dimensions }) =>
    read(async (db) => {
      const searched = await findScope(db, scope);
      if (!searched) return;
      await caches.keywords(db, searched);
      if (dimensions !== null) await caches.vectors(db, searched, dimensions);
    }),
  analyze(texts) {
    const { words, positions } = analyzeTexts(texts);
    // Copied, since buffers of the result are moved, and small ones share theirs with others.
    return { words: new Uint8Array(words), positions: new Uint8Array(positions) };
  },
  scanMemory: () => caches.usedBytes,
  maintain: () => queue.write((db) => sealBlocks(db, limits.blockChunks, unsealable)),
  close: async () => (await database).close(),
});
