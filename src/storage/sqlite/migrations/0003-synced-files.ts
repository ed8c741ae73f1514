/**
 * What each file of a folder that is kept in step was when it was last looked at. Its document is that of an item of a
 * job: so it is known before the job has made its documents, and goes with either.
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
