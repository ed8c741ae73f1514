/**
 * For each kind of lock, the query for the row to lock. An operation locks whatever it reads, checks and then changes,
 * in the order of this list, so that two of them don't deadlock. Groups of them may, and are run again. A database with one writer at a time needs no locks;
 * other databases lock the row until the transaction ends. Before all of these, a worker locks its task, which protects
 * its claim (`requireLease`).
 */
export const LOCKS = {
  /** Protects the number of queued and running jobs of an organization. */
  organization: "SELECT 1 FROM organizations WHERE id = ?",
  /** Protects the existence of a namespace, and the documents of its synced files. */
  namespace: "SELECT 1 FROM namespaces WHERE id = ?",
  /** Protects a job's status and counts, the statuses of its documents, and the order of its events. */
  job: "SELECT 1 FROM ingest_jobs WHERE id = ?",
  /** The same lock as `job`, found by the sequence number of one of the job's documents. */
  jobOfDocument: "SELECT 1 FROM ingest_jobs WHERE id = (SELECT ingest_job_id FROM documents WHERE seq = ?)",
  /** The same locks, found by a JSON array of the sequence numbers of documents. */
  jobsOfDocuments: `SELECT 1 FROM ingest_jobs WHERE id IN (
    SELECT ingest_job_id FROM documents WHERE seq IN (SELECT json_array_elements_text(?::json)::bigint)) ORDER BY seq`,
  /** Protects the chunks of a document, of which several workers may remove some. */
  document: "SELECT 1 FROM documents WHERE seq = ?",
  /** Protects the documents of a scope. */
  scope: "SELECT 1 FROM scopes WHERE id = ?",
  /** Protects the state of an upload, and whether it is in use. */
  upload: "SELECT 1 FROM uploads WHERE key = ?",
} as const;

export type LockKind = keyof typeof LOCKS;
