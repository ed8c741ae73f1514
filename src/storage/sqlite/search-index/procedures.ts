import { checkDatabase } from "../check/check-database.js";
import { checkScope } from "../check/check-scope.js";
import { reindex, repairScope } from "../check/repair-scope.js";
import { freePages, shrinkDatabase } from "../compact/database-file.js";
import { keywordScopes, mergeKeywords } from "../compact/merge-keywords.js";
import type { Statements } from "../statements.js";
import { bundleChunks, bundleDocuments } from "./bundle-chunks.js";
import { cachedVectors, chunkGenerations, chunkOrdinals, highlights, readChunks } from "./chunk-queries.js";
import { documentEligibility } from "./document-eligibility.js";
import { facet } from "./facet.js";
import { filterKeys } from "./filter-keys.js";
import { continueKeywordRebuild } from "./keyword-rebuild.js";
import { chunksByTerm, keywordSearch } from "./keyword-search.js";
import { listPassages } from "./list-passages.js";
import { liveChunks } from "./live-chunks.js";
import { maintain } from "./maintain.js";
import { livePassages, neighbours } from "./passages.js";
import { removeVectors } from "./remove-vectors.js";
import { dropSparseFile } from "./vector-files.js";
import { vectorSearch } from "./vector-search.js";
import { warmUp } from "./warm-up.js";
import { writeVectors } from "./write-vectors.js";

/** The search index's procedures for database threads. The writer runs them in transactions, readers in snapshots. */
export const INDEX_PROCEDURES = {
  checkDatabase,
  checkScope,
  chunkGenerations,
  chunkOrdinals,
  continueKeywordRebuild,
  readChunks,
  bundleChunks,
  bundleDocuments,
  cachedVectors,
  documentEligibility,
  dropSparseFile,
  facet,
  filterKeys,
  freePages,
  highlights,
  keywordScopes,
  keywordSearch,
  listPassages,
  liveChunks,
  livePassages,
  mergeKeywords,
  vectorSearch,
  neighbours,
  reindex,
  removeVectors,
  repairScope,
  shrinkDatabase,
  chunksByTerm,
  warmUp,
  maintain,
  writeVectors,
} satisfies Record<string, (db: Statements, argument: never) => unknown>;
