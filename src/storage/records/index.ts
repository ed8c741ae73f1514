import type { Operation, Tx } from "../tx.js";
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
import { failDocument, moveDocument, openGeneration, publishDocument, runnableDocuments } from "./documents.js";
import { expandJob } from "./expand-job.js";
import { addDocuments, endDiscovery } from "./found-documents.js";
import { cancelJob, createJob, deleteDocument, deleteJob, finishJob, moveJob, reingestJob } from "./jobs.js";
import { removeLost } from "./lost-documents.js";
import { createNamespace, deleteNamespace, deleteTenant, ensureNamespace } from "./namespaces.js";
import { keepDocument } from "./origins.js";
import {
  purgeChunks,
  removeDocument,
  removeJob,
  removeNamespace,
  removeUpload,
  retireUpload,
  startDeleting,
} from "./purge.js";
import { resealValues } from "./sealed-values.js";
import { settlePage } from "./settle-page.js";
import { submitJob } from "./submit-job.js";
import { addSyncedFiles, changeSyncedFiles, removeSyncedFiles, touchSyncedFiles } from "./synced-files.js";
import { claimTask, completeTask, forgetProcess, heartbeat, reclaimTasks, releaseTask } from "./tasks.js";
import { abandonVectors, vectorsRemoved } from "./unpublished-vectors.js";

/**
 * The operations on the records: each runs as one piece, in one transaction or one snapshot. They are the same for every engine.
 */
export const RECORD_OPERATIONS = {
  abandonVectors,
  addCrawlPages,
  addDocuments,
  addSyncedFiles,
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
  endCrawl,
  endDiscovery,
  expandJob,
  failDocument,
  finishJob,
  forgetProcess,
  heartbeat,
  holderOfContent,
  keepDocument,
  knownSitemaps,
  moveDocument,
  moveJob,
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
  resealValues,
  retireUpload,
  runnableDocuments,
  settlePage,
  startDeleting,
  submitJob,
  touchSyncedFiles,
  variantsOfPaths,
  vectorsRemoved,
  writeChunks,
} satisfies Record<string, (tx: Tx, argument: never) => Operation<unknown>>;
