import { CHECKS } from "../check/index.js";
import type { Operation } from "../operation.js";
import type { Noun, Verb } from "../operations.js";
import { readCounters, writeCounters } from "../transfer/counters.js";
import { digestRows, readRows } from "../transfer/row-batches.js";
import { countStoredFiles, listStoredFiles, sampleChunks, survey } from "../transfer/survey.js";
import { beginTransfer, completeTransfer, recordStep } from "../transfer/transfer-state.js";
import { restoreScopes, writeRows } from "../transfer/write-rows.js";
import type { Tx } from "../tx.js";
import * as apiKeys from "./api-keys.js";
import { writeChunks } from "./chunks.js";
import * as clicks from "./clicks.js";
import { countContents, countStatuses } from "./contents.js";
import { listPendingPages } from "./crawl-pages.js";
import * as crawls from "./crawls.js";
import * as cutOver from "./cut-over.js";
import { deleteDocument } from "./delete-document.js";
import { addDocuments, endDiscovery } from "./discovered-documents.js";
import { setDocumentAccess } from "./document-access.js";
import { countFaultyDocuments, listFaultyDocuments } from "./document-health.js";
import * as documentQueries from "./document-queries.js";
import * as documents from "./documents.js";
import * as evaluations from "./evaluations.js";
import { findChangedJobs, getJobProgress } from "./events.js";
import { expandJob } from "./expand-job.js";
import * as feedback from "./feedback.js";
import * as goldenGuards from "./golden-guards.js";
import * as goldenQuestions from "./golden-questions.js";
import { hashStoredRows } from "./hash-stored-rows.js";
import * as hosting from "./hosting.js";
import * as imports from "./imports.js";
import * as jobQueries from "./job-queries.js";
import * as jobs from "./jobs.js";
import { markDamaged } from "./mark-damaged.js";
import * as missingVectors from "./missing-vectors.js";
import * as namespaces from "./namespaces.js";
import * as nearDuplicates from "./near-duplicates.js";
import * as organizations from "./organizations.js";
import { removeOrphans } from "./orphaned-documents.js";
import { recordPage } from "./page-results.js";
import * as passageSignatures from "./passage-signatures.js";
import { abandonVectors, getPendingVectors, recordVectorRemoval } from "./pending-vectors.js";
import { pruneEvents } from "./prune-events.js";
import * as purge from "./purge.js";
import * as reembeddings from "./reembeddings.js";
import * as sampledQueries from "./sampled-queries.js";
import * as sealedValues from "./sealed-values.js";
import * as sentVectors from "./sent-vectors.js";
import { markUnchanged } from "./source-versions.js";
import { submitJob } from "./submit-job.js";
import * as syncedFiles from "./synced-files.js";
import * as tasks from "./tasks.js";
import * as unansweredQuestions from "./unanswered-questions.js";
import * as unfindablePassages from "./unfindable-passages.js";
import * as unusedVectors from "./unused-vectors.js";
import * as uploads from "./uploads.js";
import { foldUsage, getUsage } from "./usage.js";
import * as webhookDeliveries from "./webhook-deliveries.js";
import * as webhookTasks from "./webhook-tasks.js";
import * as webhooks from "./webhooks.js";

/** The implementation of every operation, for any database (see {@link Operation}). */
export const RECORDS = {
  contents: {
    count: countContents,
    countStatuses,
  },
  organizations: {
    create: organizations.createOrganization,
    ensure: organizations.ensureOrganization,
    get: organizations.getOrganization,
    list: organizations.listOrganizations,
    update: organizations.updateOrganization,
    delete: organizations.deleteOrganization,
    requireNoNamespaces: organizations.requireNoNamespaces,
    getUsage: getUsage,
    foldUsage: foldUsage,
  },
  apiKeys: {
    create: apiKeys.createApiKey,
    get: apiKeys.getApiKey,
    list: apiKeys.listApiKeys,
    find: apiKeys.findApiKeys,
    getByDigest: apiKeys.getApiKeyByDigest,
    rename: apiKeys.renameApiKey,
    recordUse: apiKeys.recordApiKeyUse,
    revoke: apiKeys.revokeApiKey,
  },
  namespaces: {
    create: namespaces.createNamespace,
    ensure: namespaces.ensureNamespace,
    resolve: namespaces.resolveNamespace,
    list: namespaces.listNamespaces,
    update: namespaces.updateNamespace,
    replaceSecrets: namespaces.replaceNamespaceSecrets,
    countStoredVectors: namespaces.countStoredVectors,
    delete: namespaces.deleteNamespace,
    deleteTenant: namespaces.deleteTenant,
    listScopes: namespaces.listScopes,
    listVectorSets: namespaces.listVectorSets,
    countByVectorStore: namespaces.countByVectorStore,
    remove: purge.removeNamespace,
  },
  reembeddings: {
    get: reembeddings.getReembedding,
    getForWorker: reembeddings.getReembeddingForWorker,
    nextVectorSet: reembeddings.nextVectorSet,
    countPublished: reembeddings.countPublished,
    readChunks: missingVectors.readUnembeddedChunks,
    beginCheck: missingVectors.beginSetCheck,
    start: reembeddings.startReembedding,
    resume: reembeddings.resumeReembedding,
    requestCutOver: cutOver.requestCutOver,
    discard: unusedVectors.discardReembedding,
    write: unusedVectors.writeSetVectors,
    sendOfGeneration: sentVectors.sendOfGeneration,
    isBeingSent: sentVectors.isSetBeingSent,
    sendBatch: sentVectors.sendBatch,
    settleSent: sentVectors.settleSent,
    recordStored: sentVectors.recordStored,
    complete: cutOver.completeReembedding,
    purge: unusedVectors.purgeSet,
    stop: reembeddings.stopReembedding,
  },
  imports: {
    begin: imports.beginImport,
    renew: imports.renewImport,
    write: imports.writeImport,
    publish: imports.publishImport,
    abandon: imports.abandonImport,
  },
  hosting: {
    get: hosting.getHosting,
    getBySlug: hosting.getHostingBySlug,
    enable: hosting.enableHosting,
    replace: hosting.replaceHosting,
    disable: hosting.disableHosting,
  },
  feedback: {
    add: feedback.addFeedback,
    list: feedback.listFeedback,
    delete: feedback.deleteFeedback,
    purge: feedback.purgeFeedback,
  },
  clicks: {
    add: clicks.addClick,
    list: clicks.listClicks,
    delete: clicks.deleteClick,
    purge: clicks.purgeClicks,
  },
  goldenQuestions: {
    write: goldenQuestions.writeGoldenQuestions,
    list: goldenQuestions.listGoldenQuestions,
    listSizes: goldenQuestions.listGoldenQuestionSizes,
    get: goldenQuestions.getGoldenQuestion,
    update: goldenQuestions.updateGoldenQuestion,
    delete: goldenQuestions.deleteGoldenQuestion,
    purge: goldenQuestions.purgeGoldenQuestions,
  },
  evaluations: {
    add: evaluations.addEvaluation,
    list: evaluations.listEvaluations,
    listSizes: evaluations.listEvaluationSizes,
    get: evaluations.getEvaluation,
    delete: evaluations.deleteEvaluation,
    purge: evaluations.purgeEvaluations,
  },
  goldenGuards: {
    get: goldenGuards.getGoldenGuard,
    set: goldenGuards.setGoldenGuard,
    delete: goldenGuards.deleteGoldenGuard,
  },
  health: {
    listScopes: passageSignatures.listHealthScopes,
    listUnsigned: passageSignatures.listUnsignedDocuments,
    readTexts: passageSignatures.readPassageTexts,
    readSignatures: passageSignatures.readSignatures,
    recordSignatures: passageSignatures.recordSignatures,
    listOutdatedDuplicates: nearDuplicates.listOutdatedDuplicates,
    removeDuplicates: nearDuplicates.removeDuplicates,
    recordDuplicates: nearDuplicates.recordDuplicates,
    markCompared: nearDuplicates.markCompared,
    listDuplicates: nearDuplicates.listNearDuplicates,
    countDuplicates: nearDuplicates.countNearDuplicates,
    listUnquestioned: unfindablePassages.listUnquestionedParts,
    recordQuestioned: unfindablePassages.recordQuestioned,
    listUnfindable: unfindablePassages.listUnfindablePassages,
    countUnfindable: unfindablePassages.countUnfindablePassages,
    addUnanswered: unansweredQuestions.addUnansweredQuestion,
    listUnanswered: unansweredQuestions.listUnansweredQuestions,
    countUnanswered: unansweredQuestions.countUnansweredQuestions,
    pruneUnanswered: unansweredQuestions.pruneUnansweredQuestions,
    listFaultyDocuments: listFaultyDocuments,
    countFaultyDocuments: countFaultyDocuments,
  },
  sampledQueries: {
    add: sampledQueries.addSampledQuery,
    list: sampledQueries.listSampledQueries,
    prune: sampledQueries.pruneSampledQueries,
  },
  secrets: {
    list: sealedValues.listSealedValues,
    countByKey: sealedValues.countByKey,
    listByKeys: sealedValues.listSealedByKeys,
    listByOtherKeys: sealedValues.listSealedByOtherKeys,
    reseal: sealedValues.resealValues,
  },
  uploads: {
    create: uploads.createUploads,
    get: uploads.getUpload,
    getWithOrganization: uploads.getUploadWithOrganization,
    claim: uploads.claimUpload,
    finish: uploads.finishUpload,
    release: uploads.releaseUpload,
    listStored: uploads.listStoredUploads,
    listPending: uploads.listPendingUploads,
    confirm: uploads.confirmUpload,
    listHashes: uploads.listUploadHashes,
    listOfNamespace: uploads.listUploadsOfNamespace,
    listExpired: uploads.listExpiredUploads,
    retire: purge.retireUpload,
    remove: purge.removeUpload,
  },
  tasks: {
    claim: tasks.claimTask,
    release: tasks.releaseTask,
    complete: tasks.completeTask,
    reclaim: tasks.reclaimTasks,
    count: tasks.countTasks,
    summarize: tasks.summarizeTasks,
    hasDue: tasks.hasDueTask,
    getLastError: tasks.getLastTaskError,
  },
  processes: {
    recordHeartbeat: tasks.recordHeartbeat,
    forget: tasks.forgetProcess,
    list: tasks.listLiveProcesses,
  },
  jobs: {
    create: jobs.createJob,
    submit: submitJob,
    get: jobQueries.getJob,
    list: jobQueries.listJobs,
    listSizes: jobQueries.listJobSizes,
    getIdByExternalId: jobQueries.getJobIdByExternalId,
    listOfNamespace: jobQueries.listJobsOfNamespace,
    getForWorker: jobQueries.getJobForWorker,
    isWanted: jobQueries.isJobWanted,
    getContent: jobQueries.getJobContent,
    getCounts: jobQueries.getJobCounts,
    hasDocuments: jobQueries.jobHasDocuments,
    expand: expandJob,
    move: jobs.moveJob,
    finish: jobs.finishJob,
    cancel: jobs.cancelJob,
    reingest: jobs.reingestJob,
    delete: jobs.deleteJob,
    remove: purge.removeJob,
    addDocuments: addDocuments,
    endDiscovery: endDiscovery,
  },
  documents: {
    get: documentQueries.getDocument,
    getWithoutSource: documentQueries.getDocumentWithoutSource,
    getForDownload: documentQueries.getDocumentForDownload,
    list: documentQueries.listDocuments,
    listSizes: documentQueries.listDocumentSizes,
    getPageStarts: documentQueries.getPageStarts,
    listTextParts: documentQueries.listTextParts,
    getSourceVersion: documentQueries.getPublishedSourceVersion,
    getFetchedSource: documentQueries.getFetchedSource,
    listRunnable: documents.listRunnableDocuments,
    move: documents.moveDocument,
    openGeneration: documents.openGeneration,
    writeChunks: writeChunks,
    publish: documents.publishDocument,
    publishFirstPages: documents.publishFirstPages,
    store: documents.storeDocument,
    markUnchanged: markUnchanged,
    fail: documents.failRunning,
    markDamaged: markDamaged,
    setAccess: setDocumentAccess,
    delete: deleteDocument,
    getRemovable: documentQueries.getRemovableDocument,
    listRemovableOfJob: documentQueries.listRemovableDocuments,
    startDeleting: purge.startDeleting,
    purgeChunks: purge.purgeChunks,
    remove: purge.removeDocument,
    getPendingVectors: getPendingVectors,
    abandonVectors: abandonVectors,
    recordVectorRemoval: recordVectorRemoval,
  },
  crawl: {
    addPages: crawls.addCrawlPages,
    listPendingPages: listPendingPages,
    recordPage: recordPage,
    postponePage: crawls.postponeCrawlPage,
    countPages: crawls.countCrawlPages,
    findPageByContent: crawls.findPageByContent,
    listKnownSitemaps: crawls.listKnownSitemaps,
    countQueryVariants: crawls.countQueryVariants,
    end: crawls.endCrawl,
    removeOrphans: removeOrphans,
    removePages: crawls.removeCrawlPages,
  },
  sync: {
    listFiles: syncedFiles.listSyncedFiles,
    listFailures: syncedFiles.listFailedFiles,
    add: syncedFiles.addSyncedFiles,
    change: syncedFiles.changeSyncedFiles,
    remove: syncedFiles.removeSyncedFiles,
    touch: syncedFiles.touchSyncedFiles,
  },
  check: CHECKS,
  content: {
    hash: hashStoredRows,
  },
  events: {
    findChangedJobs: findChangedJobs,
    getJobProgress: getJobProgress,
    prune: pruneEvents,
  },
  webhooks: {
    create: webhooks.createWebhook,
    get: webhooks.requireWebhook,
    list: webhooks.listWebhooks,
    update: webhooks.updateWebhook,
    enable: webhooks.enableWebhook,
    disable: webhooks.disableWebhook,
    delete: webhooks.deleteWebhook,
    getSecret: webhooks.getWebhookSecret,
    replaceSecret: webhooks.replaceWebhookSecret,
    getDue: webhookDeliveries.getDueDeliveries,
    getDelivery: webhookDeliveries.getDelivery,
    listDeliveries: webhookDeliveries.listDeliveries,
    recordAttempts: webhookDeliveries.recordAttempts,
    recordSendError: webhookDeliveries.recordSendError,
    redeliver: webhookDeliveries.redeliver,
    ping: webhookDeliveries.pingWebhook,
    prune: webhookDeliveries.pruneDeliveries,
    purge: webhookDeliveries.purgeDeliveries,
    rest: webhookTasks.restWebhook,
    wakeStalled: webhookTasks.wakeStalledWebhooks,
  },
  transfer: {
    survey: survey,
    begin: beginTransfer,
    readRows: readRows,
    writeRows: writeRows,
    digestRows: digestRows,
    recordStep: recordStep,
    restoreScopes: restoreScopes,
    readCounters: readCounters,
    writeCounters: writeCounters,
    sampleChunks: sampleChunks,
    listFiles: listStoredFiles,
    countFiles: countStoredFiles,
    complete: completeTransfer,
  },
} satisfies Implementations;

type Implementations = {
  readonly [Of in Noun]: { readonly [Each in Verb<Of>]: (tx: Tx, argument: never) => Operation<unknown> };
};

export type RecordOperations = typeof RECORDS;
