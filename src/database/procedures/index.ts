import type { Statements } from "../sqlite/statements.js";
import { writeChunks } from "./chunks.js";
import { pendingPages } from "./crawl-pages.js";
import {
  addCrawlPages,
  crawlCounts,
  endCrawl,
  holderOfContent,
  knownSitemaps,
  postponeCrawlPage,
  removeCrawlPages,
  variantsOfPaths,
} from "./crawls.js";
import { documentStanding } from "./document-standing.js";
import { failDocument, moveDocument, openGeneration, publishDocument, runnableDocuments } from "./documents.js";
import { cachedVectors } from "./embeddings.js";
import { expandJob } from "./expand-job.js";
import { filterKeys } from "./filter-keys.js";
import { addDocuments, endDiscovery } from "./found-documents.js";
import { highlights } from "./highlights.js";
import { cancelJob, createJob, deleteDocument, deleteJob, finishJob, moveJob, reingestJob } from "./jobs.js";
import { keywordSearch } from "./keyword-search.js";
import { liveChunks } from "./live-chunks.js";
import { removeLost } from "./lost-documents.js";
import { createNamespace, deleteNamespace, deleteTenant, ensureNamespace } from "./namespaces.js";
import { nearestVectors } from "./nearest-vectors.js";
import { keepDocument } from "./origins.js";
import { livePassages, neighbours } from "./passages.js";
import {
  purgeChunks,
  removeDocument,
  removeJob,
  removeNamespace,
  removeUpload,
  retireUpload,
  startDeleting,
} from "./purge.js";
import { removeVectors } from "./remove-vectors.js";
import { resealValues } from "./sealed-values.js";
import { settlePage } from "./settle-page.js";
import { submitJob } from "./submit-job.js";
import { addSyncedFiles, changeSyncedFiles, removeSyncedFiles, touchSyncedFiles } from "./synced-files.js";
import { claimTask, completeTask, forgetProcess, heartbeat, reclaimTasks, releaseTask } from "./tasks.js";
import { termsFound } from "./terms-found.js";
import { abandonVectors, vectorsRemoved } from "./unpublished-vectors.js";
import { writeMissingVectorFile } from "./vector-files.js";
import { warmUp } from "./warm-up.js";
import { writeVectors } from "./write-vectors.js";

/**
 * What runs inside a database thread as one piece: a transaction on the writer, a snapshot on a reader. Plain SQL comes from callers;
 * what is here needs several steps that must not be apart, or that run too often for a message each.
 */
export const PROCEDURES = {
  abandonVectors,
  addCrawlPages,
  addDocuments,
  addSyncedFiles,
  cachedVectors,
  cancelJob,
  changeSyncedFiles,
  claimTask,
  completeTask,
  crawlCounts,
  createJob,
  createNamespace,
  ensureNamespace,
  deleteDocument,
  deleteJob,
  deleteNamespace,
  deleteTenant,
  documentStanding,
  endCrawl,
  endDiscovery,
  expandJob,
  failDocument,
  filterKeys,
  finishJob,
  forgetProcess,
  heartbeat,
  highlights,
  holderOfContent,
  keepDocument,
  keywordSearch,
  knownSitemaps,
  liveChunks,
  livePassages,
  moveDocument,
  moveJob,
  nearestVectors,
  neighbours,
  openGeneration,
  pendingPages,
  postponeCrawlPage,
  publishDocument,
  purgeChunks,
  reclaimTasks,
  reingestJob,
  releaseTask,
  removeCrawlPages,
  removeDocument,
  removeJob,
  removeLost,
  removeNamespace,
  removeSyncedFiles,
  removeUpload,
  removeVectors,
  resealValues,
  retireUpload,
  runnableDocuments,
  settlePage,
  startDeleting,
  submitJob,
  termsFound,
  touchSyncedFiles,
  variantsOfPaths,
  vectorsRemoved,
  warmUp,
  writeChunks,
  writeMissingVectorFile,
  writeVectors,
} satisfies Record<string, (db: Statements, argument: never) => unknown>;

export type ProcedureName = keyof typeof PROCEDURES;
export type ProcedureArgument<Name extends ProcedureName> = Parameters<(typeof PROCEDURES)[Name]>[1];
export type ProcedureResult<Name extends ProcedureName> = ReturnType<(typeof PROCEDURES)[Name]>;
