import type { Operation } from "../operation.js";
import type { Noun, Verb } from "../operations.js";
import type { Tx } from "../tx.js";
import {
  apiKeyByDigest,
  createApiKey,
  findApiKeys,
  getApiKey,
  listApiKeys,
  recordApiKeyUse,
  renameApiKey,
  revokeApiKey,
} from "./api-keys.js";
import { writeChunks } from "./chunks.js";
import { pendingPages } from "./crawl-pages.js";
import {
  addCrawlPages,
  countQueryVariants,
  crawlCounts,
  endCrawl,
  findPageByContent,
  knownSitemaps,
  postponeCrawlPage,
  removeCrawlPages,
} from "./crawls.js";
import { addDocuments, endDiscovery } from "./discovered-documents.js";
import {
  documentPages,
  documentSizes,
  documentText,
  downloadedDocument,
  fetchedSource,
  findDocument,
  getDocument,
  listDocuments,
  publishedOrigin,
  removableDocument,
  removableDocuments,
} from "./document-queries.js";
import { failDocument, moveDocument, openGeneration, publishDocument, runnableDocuments } from "./documents.js";
import { eventChanges, jobProgress } from "./events.js";
import { expandJob } from "./expand-job.js";
import { disableHosting, enableHosting, getHosting, replaceHosting } from "./hosting.js";
import {
  getJob,
  isJobWanted,
  jobByExternalId,
  jobContent,
  jobCounts,
  jobHasDocuments,
  jobSizes,
  jobsOfNamespace,
  listJobs,
  workingJob,
} from "./job-queries.js";
import { cancelJob, createJob, deleteDocument, deleteJob, finishJob, moveJob, reingestJob } from "./jobs.js";
import {
  createNamespace,
  deleteNamespace,
  deleteTenant,
  ensureNamespace,
  listNamespaces,
  resolveNamespace,
  scopesOfNamespace,
  updateNamespace,
} from "./namespaces.js";
import {
  createOrganization,
  deleteOrganization,
  ensureOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
} from "./organizations.js";
import { markUnchanged } from "./origins.js";
import { removeOrphans } from "./orphaned-documents.js";
import { recordPage } from "./page-results.js";
import { abandonVectors, pendingVectors, vectorsRemoved } from "./pending-vectors.js";
import {
  purgeChunks,
  removeDocument,
  removeJob,
  removeNamespace,
  removeUpload,
  retireUpload,
  startDeleting,
} from "./purge.js";
import { resealValues, sealedByOthers, sealedValues, sealingKeys } from "./sealed-values.js";
import { submitJob } from "./submit-job.js";
import { failedFiles, syncedFiles } from "./synced-file-queries.js";
import { addSyncedFiles, changeSyncedFiles, removeSyncedFiles, touchSyncedFiles } from "./synced-files.js";
import {
  claimTask,
  completeTask,
  countTasks,
  forgetProcess,
  hasDueTask,
  heartbeat,
  lastTaskError,
  reclaimTasks,
  releaseTask,
  workingProcesses,
} from "./tasks.js";
import {
  announcedUpload,
  announceUploads,
  claimUpload,
  confirmUpload,
  expiredUploads,
  finishUpload,
  getUpload,
  pendingUploads,
  releaseUpload,
  uploadHashes,
  uploadsOfNamespace,
} from "./uploads.js";

/** Every operation. The same code runs synchronously over SQLite and asynchronously elsewhere. */
export const RECORDS = {
  organizations: {
    create: createOrganization,
    ensure: ensureOrganization,
    get: getOrganization,
    list: listOrganizations,
    update: updateOrganization,
    delete: deleteOrganization,
  },
  apiKeys: {
    create: createApiKey,
    get: getApiKey,
    list: listApiKeys,
    find: findApiKeys,
    byDigest: apiKeyByDigest,
    rename: renameApiKey,
    noteUse: recordApiKeyUse,
    revoke: revokeApiKey,
  },
  namespaces: {
    create: createNamespace,
    ensure: ensureNamespace,
    resolve: resolveNamespace,
    list: listNamespaces,
    update: updateNamespace,
    delete: deleteNamespace,
    deleteTenant: deleteTenant,
    scopes: scopesOfNamespace,
    remove: removeNamespace,
  },
  hosting: {
    get: getHosting,
    enable: enableHosting,
    replace: replaceHosting,
    disable: disableHosting,
  },
  secrets: {
    of: sealedValues,
    keys: sealingKeys,
    byOtherKeys: sealedByOthers,
    reseal: resealValues,
  },
  uploads: {
    announce: announceUploads,
    get: getUpload,
    announced: announcedUpload,
    claim: claimUpload,
    finish: finishUpload,
    release: releaseUpload,
    pending: pendingUploads,
    confirm: confirmUpload,
    hashes: uploadHashes,
    ofNamespace: uploadsOfNamespace,
    expired: expiredUploads,
    retire: retireUpload,
    remove: removeUpload,
  },
  tasks: {
    claim: claimTask,
    release: releaseTask,
    complete: completeTask,
    reclaim: reclaimTasks,
    count: countTasks,
    hasDue: hasDueTask,
    lastError: lastTaskError,
  },
  processes: {
    heartbeat: heartbeat,
    forget: forgetProcess,
    list: workingProcesses,
  },
  jobs: {
    create: createJob,
    submit: submitJob,
    get: getJob,
    list: listJobs,
    sizes: jobSizes,
    byExternalId: jobByExternalId,
    ofNamespace: jobsOfNamespace,
    working: workingJob,
    isWanted: isJobWanted,
    content: jobContent,
    counts: jobCounts,
    hasDocuments: jobHasDocuments,
    expand: expandJob,
    move: moveJob,
    finish: finishJob,
    cancel: cancelJob,
    reingest: reingestJob,
    delete: deleteJob,
    remove: removeJob,
    addDocuments: addDocuments,
    endDiscovery: endDiscovery,
  },
  documents: {
    get: getDocument,
    find: findDocument,
    downloaded: downloadedDocument,
    list: listDocuments,
    sizes: documentSizes,
    pages: documentPages,
    text: documentText,
    origin: publishedOrigin,
    fetchedSource: fetchedSource,
    runnable: runnableDocuments,
    move: moveDocument,
    openGeneration: openGeneration,
    writeChunks: writeChunks,
    publish: publishDocument,
    keep: markUnchanged,
    fail: failDocument,
    delete: deleteDocument,
    removable: removableDocument,
    removableOfJob: removableDocuments,
    startDeleting: startDeleting,
    purgeChunks: purgeChunks,
    remove: removeDocument,
    pendingVectors: pendingVectors,
    abandonVectors: abandonVectors,
    vectorsRemoved: vectorsRemoved,
  },
  crawl: {
    addPages: addCrawlPages,
    pendingPages: pendingPages,
    recordPage: recordPage,
    postponePage: postponeCrawlPage,
    counts: crawlCounts,
    findPageByContent: findPageByContent,
    knownSitemaps: knownSitemaps,
    countQueryVariants: countQueryVariants,
    end: endCrawl,
    removeOrphans: removeOrphans,
    removePages: removeCrawlPages,
  },
  sync: {
    files: syncedFiles,
    failures: failedFiles,
    add: addSyncedFiles,
    change: changeSyncedFiles,
    remove: removeSyncedFiles,
    touch: touchSyncedFiles,
  },
  events: {
    changes: eventChanges,
    ofJob: jobProgress,
  },
} satisfies Implementations;

type Implementations = {
  readonly [Of in Noun]: { readonly [Each in Verb<Of>]: (tx: Tx, argument: never) => Operation<unknown> };
};

export type RecordOperations = typeof RECORDS;
