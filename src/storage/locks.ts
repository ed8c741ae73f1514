/**
 * What an operation locks before it reads, checks and writes, by the query for the row that stands for it. A database that has one writer at
 * a time needs no lock; another one locks that row until the transaction ends. An operation takes several in the order in which they are
 * listed here, so that two never wait for each other.
 */
export const LOCKS = {
  /** The claim on a task. */
  task: "SELECT 1 FROM tasks WHERE seq = ?",
  /** The quota of jobs that may wait or run. */
  organization: "SELECT 1 FROM organizations WHERE id = ?",
  /** Which files of its folders have documents. */
  namespace: "SELECT 1 FROM namespaces WHERE id = ?",
  /** Whether a file is used. */
  upload: "SELECT 1 FROM uploads WHERE key = ?",
  /** A job's status, documents, counts and the order of its events. */
  job: "SELECT 1 FROM ingest_jobs WHERE id = ?",
  /** The same, of a document's job. */
  jobOfDocument: "SELECT 1 FROM ingest_jobs WHERE id = (SELECT ingest_job_id FROM documents WHERE seq = ?)",
  /** A document's status and generations. */
  document: "SELECT 1 FROM documents WHERE seq = ?",
  /** Whether a scope has documents. */
  scope: "SELECT 1 FROM scopes WHERE id = ?",
} as const;

export type LockKind = keyof typeof LOCKS;
