/**
 * The names of all operations on the records, by noun and mode. A `read` runs in one snapshot, a `write` in one
 * transaction. The implementations in `records/` document them.
 */
export const OPERATIONS = {
  contents: { read: ["count"], write: [] },
  organizations: { read: ["get", "list"], write: ["create", "ensure", "update", "delete"] },
  apiKeys: { read: ["get", "list", "find", "getByDigest"], write: ["create", "rename", "recordUse", "revoke"] },
  namespaces: {
    read: ["resolve", "list", "listScopes"],
    write: ["create", "ensure", "update", "replaceSecrets", "delete", "deleteTenant", "remove"],
  },
  imports: { read: [], write: ["begin", "renew", "write", "publish", "abandon"] },
  hosting: { read: ["get", "getBySlug"], write: ["enable", "replace", "disable"] },
  feedback: { read: ["list"], write: ["add", "delete", "purge"] },
  secrets: { read: ["list", "countByKey", "listByKeys", "listByOtherKeys"], write: ["reseal"] },
  uploads: {
    read: ["get", "getWithOrganization", "listStored", "listPending", "listHashes", "listOfNamespace", "listExpired"],
    write: ["create", "claim", "finish", "release", "confirm", "retire", "remove"],
  },
  tasks: { read: ["count", "hasDue", "getLastError"], write: ["claim", "release", "complete", "reclaim"] },
  processes: { read: ["list"], write: ["recordHeartbeat", "forget"] },
  jobs: {
    read: [
      "get",
      "list",
      "listSizes",
      "getIdByExternalId",
      "listOfNamespace",
      "getForWorker",
      "isWanted",
      "getContent",
      "getCounts",
      "hasDocuments",
    ],
    write: [
      "create",
      "submit",
      "expand",
      "move",
      "finish",
      "cancel",
      "reingest",
      "delete",
      "remove",
      "addDocuments",
      "endDiscovery",
    ],
  },
  documents: {
    read: [
      "get",
      "getWithoutSource",
      "getForDownload",
      "list",
      "listSizes",
      "getPageStarts",
      "listTextParts",
      "getSourceVersion",
      "getFetchedSource",
      "getRemovable",
      "listRemovableOfJob",
      "getPendingVectors",
    ],
    write: [
      "listRunnable",
      "move",
      "openGeneration",
      "writeChunks",
      "publish",
      "store",
      "markUnchanged",
      "fail",
      "delete",
      "startDeleting",
      "purgeChunks",
      "remove",
      "abandonVectors",
      "recordVectorRemoval",
    ],
  },
  crawl: {
    read: ["listPendingPages", "countPages", "findPageByContent", "listKnownSitemaps", "countQueryVariants"],
    write: ["addPages", "recordPage", "postponePage", "end", "removeOrphans", "removePages"],
  },
  sync: { read: ["listFiles", "listFailures"], write: ["add", "change", "remove", "touch"] },
  events: { read: ["findChangedJobs", "getJobProgress"], write: [] },
} as const;

export type Noun = keyof typeof OPERATIONS;
export type Verb<Of extends Noun> = (typeof OPERATIONS)[Of]["read" | "write"][number];
