import type { Statements } from "../statements.js";
import { chunkGenerations, chunkOrdinals, readChunks } from "./chunk-queries.js";
import { documentStanding } from "./document-standing.js";
import { cachedVectors } from "./embeddings.js";
import { filterKeys } from "./filter-keys.js";
import { highlights } from "./highlights.js";
import { keywordSearch } from "./keyword-search.js";
import { liveChunks } from "./live-chunks.js";
import { livePassages, neighbours } from "./passages.js";
import { removeVectors } from "./remove-vectors.js";
import { termsFound } from "./terms-found.js";
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
