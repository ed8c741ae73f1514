/**
 * What an operation locks before it reads, checks and writes: for each kind the query for the row that stands for it. A
 * database with one writer at a time needs no locks; another one locks the row until the transaction ends. An operation
 * takes its locks in the order of this list, so that two operations never wait for each other.
 */
export const LOCKS = {
  /** The claim on a task. */
  task: "SELECT 1 FROM tasks WHERE seq = ?",
  /** How many jobs of the organization wait or run. */
  organization: "SELECT 1 FROM organizations WHERE id = ?",
  /** Whether the namespace is there, and which files of its folders have documents. */
  namespace: "SELECT 1 FROM namespaces WHERE id = ?",
  /** A job's status and counts, the statuses of its documents, and the order of its events. */
  job: "SELECT 1 FROM ingest_jobs WHERE id = ?",
  /** The same lock, found by a document's sequence number. */
  jobOfDocument: "SELECT 1 FROM ingest_jobs WHERE id = (SELECT ingest_job_id FROM documents WHERE seq = ?)",
  /** The generation that a document's chunks are written to. */
  document: "SELECT 1 FROM documents WHERE seq = ?",
  /** Which documents a scope has. */
  scope: "SELECT 1 FROM scopes WHERE id = ?",
  /** Whether an upload is used. */
  upload: "SELECT 1 FROM uploads WHERE key = ?",
} as const;

export type LockKind = keyof typeof LOCKS;
