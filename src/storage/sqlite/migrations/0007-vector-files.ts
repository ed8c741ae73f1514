/**
 * Adds a list of files with copies of vector records, which a reader loads at the speed of its disk when it starts. The
 * database remains authoritative: a file may be missing.
 */
export const vectorFiles = {
  name: "vector-files",
  sql: `
CREATE TABLE vector_files (
  name TEXT PRIMARY KEY,
  scope_id INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  dimensions INTEGER NOT NULL,
  blocks INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX vector_files_scope ON vector_files (scope_id);
CREATE TABLE vector_file_blocks (
  block_seq INTEGER PRIMARY KEY REFERENCES vector_blocks (seq) ON DELETE CASCADE,
  file TEXT NOT NULL REFERENCES vector_files (name) ON DELETE CASCADE
) STRICT;
CREATE INDEX vector_file_blocks_file ON vector_file_blocks (file);
`,
};
