/** Keeps records in files alone, not also in tables. The files list their documents, so that dead ones are counted. */
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
`,
};
