import type { Statements } from "../statements.js";
import { cachedVectors, chunkGenerations, chunkOrdinals, highlights, readChunks } from "./chunk-queries.js";
import { documentStanding } from "./document-standing.js";
import { filterKeys } from "./filter-keys.js";
import { keywordSearch, termsFound } from "./keyword-search.js";
import { liveChunks } from "./live-chunks.js";
import { livePassages, neighbours } from "./passages.js";
import { removeVectors } from "./remove-vectors.js";
import { maintainVectorFiles } from "./vector-files.js";
import { vectorSearch } from "./vector-search.js";
import { warmUp } from "./warm-up.js";
import { writeVectors } from "./write-vectors.js";

/** Procedures of the search index within a database thread: a transaction on the writer, a snapshot on a reader. */
export const INDEX_PROCEDURES = {
  chunkGenerations,
  chunkOrdinals,
  readChunks,
  cachedVectors,
  documentStanding,
  filterKeys,
  highlights,
  keywordSearch,
  liveChunks,
  livePassages,
  vectorSearch,
  neighbours,
  removeVectors,
  termsFound,
  warmUp,
  maintain: maintainVectorFiles,
  writeVectors,
} satisfies Record<string, (db: Statements, argument: never) => unknown>;
