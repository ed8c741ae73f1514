/**
 * Drops the tables with vector records, which are now kept in files only. Lists the documents of each file, so that
 * dead records can be counted. Marks all published documents as changed, so that files are written for them.
 */
export const recordsInFiles = {
  name: "records-in-files",
  sql: `
DROP TABLE vector_file_blocks;
DROP TABLE vector_files;
DROP TABLE vector_blocks;
DROP TABLE vector_records;
CREATE TABLE vector_files (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  scope_id INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  dimensions INTEGER NOT NULL,
  records INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  dead INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX vector_files_scope ON vector_files (scope_id);
CREATE TABLE vector_file_documents (
  document_seq INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  file INTEGER NOT NULL REFERENCES vector_files (id) ON DELETE CASCADE,
  records INTEGER NOT NULL,
  PRIMARY KEY (document_seq, generation)
) STRICT, WITHOUT ROWID;
CREATE INDEX vector_file_documents_file ON vector_file_documents (file);
ALTER TABLE scopes ADD COLUMN filed_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE scopes ADD COLUMN unfiled_bytes INTEGER NOT NULL DEFAULT 0;
CREATE INDEX scopes_unfiled ON scopes (id) WHERE unfiled_bytes >= 524288;
UPDATE scopes SET filed_epoch = epoch, unfiled_bytes = chunks * 1024;
INSERT INTO scope_changes (scope_id, epoch, document_seq)
  SELECT d.scope_id, s.epoch + row_number() OVER (PARTITION BY d.scope_id ORDER BY d.seq), d.seq
  FROM documents d JOIN scopes s ON s.id = d.scope_id WHERE d.generation > 0;
UPDATE scopes SET epoch = max(epoch, coalesce((SELECT max(epoch) FROM scope_changes WHERE scope_id = scopes.id), 0));
`,
};
