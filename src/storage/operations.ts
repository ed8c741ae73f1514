/**
 * The names of all operations on the records, by noun and mode. A `read` runs in one snapshot, a `write` in one
 * transaction. The implementations in `records/` document them.
 */
export const OPERATIONS = {
  organizations: { read: ["get", "list"], write: ["create", "ensure", "update", "delete"] },
  apiKeys: { read: ["get", "list", "find", "byDigest"], write: ["create", "rename", "recordUse", "revoke"] },
  namespaces: {
    read: ["resolve", "list", "scopes"],
    write: ["create", "ensure", "update", "delete", "deleteTenant", "remove"],
  },
  hosting: { read: ["get", "getBySlug"], write: ["enable", "replace", "disable"] },
  feedback: { read: ["list"], write: ["add", "delete", "purge"] },
  secrets: { read: ["list", "countByKey", "listByOtherKeys"], write: ["reseal"] },
  uploads: {
    read: ["get", "getWithOrganization", "pending", "hashes", "ofNamespace", "expired"],
    write: ["create", "claim", "finish", "release", "confirm", "retire", "remove"],
  },
  tasks: { read: ["count", "hasDue", "lastError"], write: ["claim", "release", "complete", "reclaim"] },
  processes: { read: ["list"], write: ["heartbeat", "forget"] },
  jobs: {
    read: [
      "get",
      "list",
      "sizes",
      "byExternalId",
      "ofNamespace",
      "getForWorker",
      "isWanted",
      "content",
      "counts",
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
      "sizes",
      "pages",
      "text",
      "sourceVersion",
      "fetchedSource",
      "removable",
      "removableOfJob",
      "pendingVectors",
    ],
    write: [
      "runnable",
      "move",
      "openGeneration",
      "writeChunks",
      "publish",
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
    read: ["pendingPages", "counts", "findPageByContent", "knownSitemaps", "countQueryVariants"],
    write: ["addPages", "recordPage", "postponePage", "end", "removeOrphans", "removePages"],
  },
  sync: { read: ["files", "failures"], write: ["add", "change", "remove", "touch"] },
  events: { read: ["changes", "ofJob"], write: [] },
} as const;

export type Noun = keyof typeof OPERATIONS;
export type Verb<Of extends Noun> = (typeof OPERATIONS)[Of]["read" | "write"][number];
