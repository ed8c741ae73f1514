import { pendingPages } from "../records/crawl-pages.js";
import {
  addCrawlPages,
  crawlCounts,
  endCrawl,
  holderOfContent,
  knownSitemaps,
  postponeCrawlPage,
  removeCrawlPages,
  variantsOfPaths,
} from "../records/crawls.js";
import { documentStanding } from "../records/document-standing.js";
import {
  failDocument,
  moveDocument,
  openGeneration,
  publishDocument,
  runnableDocuments,
} from "../records/documents.js";
import { cachedVectors } from "../records/embeddings.js";
import { expandJob } from "../records/expand-job.js";
import { addDocuments, endDiscovery } from "../records/found-documents.js";
import { cancelJob, createJob, deleteDocument, deleteJob, finishJob, moveJob, reingestJob } from "../records/jobs.js";
import { removeLost } from "../records/lost-documents.js";
import { createNamespace, deleteNamespace, deleteTenant, ensureNamespace } from "../records/namespaces.js";
import { keepDocument } from "../records/origins.js";
import {
  purgeChunks,
  removeDocument,
  removeJob,
  removeNamespace,
  removeUpload,
  retireUpload,
  startDeleting,
} from "../records/purge.js";
import { resealValues } from "../records/sealed-values.js";
import { settlePage } from "../records/settle-page.js";
import { submitJob } from "../records/submit-job.js";
import { addSyncedFiles, changeSyncedFiles, removeSyncedFiles, touchSyncedFiles } from "../records/synced-files.js";
import { claimTask, completeTask, forgetProcess, heartbeat, reclaimTasks, releaseTask } from "../records/tasks.js";
import { writeChunks } from "./search-index/chunks.js";
import { filterKeys } from "./search-index/filter-keys.js";
import { highlights } from "./search-index/highlights.js";
import { keywordSearch } from "./search-index/keyword-search.js";
import { liveChunks } from "./search-index/live-chunks.js";
import { nearestVectors } from "./search-index/nearest-vectors.js";
import { livePassages, neighbours } from "./search-index/passages.js";
import { removeVectors } from "./search-index/remove-vectors.js";
import { termsFound } from "./search-index/terms-found.js";
import { abandonVectors, vectorsRemoved } from "./search-index/unpublished-vectors.js";
import { writeMissingVectorFile } from "./search-index/vector-files.js";
import { warmUp } from "./search-index/warm-up.js";
import { writeVectors } from "./search-index/write-vectors.js";
import type { Statements } from "./statements.js";

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
