/**
 * The locks that an operation takes before it reads, checks and writes: for each kind, the query for the row to lock. A
 * database with one writer at a time needs no locks; others lock the row until the transaction ends. An operation takes
 * its locks in the order of this list, so that operations never deadlock.
 */
export const LOCKS = {
  /** The claim on a task. */
  task: "SELECT 1 FROM tasks WHERE seq = ?",
  /** The number of queued and running jobs of an organization. */
  organization: "SELECT 1 FROM organizations WHERE id = ?",
  /** The existence of a namespace, and the documents of its synced files. */
  namespace: "SELECT 1 FROM namespaces WHERE id = ?",
  /** A job's status and counts, the statuses of its documents, and the order of its events. */
  job: "SELECT 1 FROM ingest_jobs WHERE id = ?",
  /** The same lock, found by a document's sequence number. */
  jobOfDocument: "SELECT 1 FROM ingest_jobs WHERE id = (SELECT ingest_job_id FROM documents WHERE seq = ?)",
  /** The generation to which a document's chunks are written. */
  document: "SELECT 1 FROM documents WHERE seq = ?",
  /** The documents of a scope. */
  scope: "SELECT 1 FROM scopes WHERE id = ?",
  /** Whether an upload is used. */
  upload: "SELECT 1 FROM uploads WHERE key = ?",
} as const;

export type LockKind = keyof typeof LOCKS;
