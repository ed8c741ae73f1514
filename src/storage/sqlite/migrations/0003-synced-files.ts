/**
 * Adds the state in which each file of a synced folder was last seen. A record identifies the file's document by job
 * and item, which are known before the job creates the document. The record is removed with the job.
 */
export const syncedFiles = {
  name: "synced-files",
  sql: `
CREATE TABLE synced_files (
  namespace_id TEXT NOT NULL,
  tenant TEXT NOT NULL,
  root TEXT NOT NULL,
  path TEXT NOT NULL,
  ingest_job_id TEXT NOT NULL REFERENCES ingest_jobs (id) ON DELETE CASCADE,
  item INTEGER NOT NULL,
  stamp TEXT,
  sha256 TEXT NOT NULL,
  config TEXT NOT NULL,
  PRIMARY KEY (namespace_id, tenant, root, path)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX synced_files_item ON synced_files (ingest_job_id, item);
`,
};
