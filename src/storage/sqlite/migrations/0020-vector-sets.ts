/**
 * Adds a second table of vectors, for namespaces that are embedded again, and which set of vectors searches use. Vectors
 * of even sets are in `vectors`, those of odd sets in `odd_vectors`.
 */
export const vectorSets = {
  name: "vector-sets",
  sql: `
CREATE TABLE odd_vectors (
  chunk_seq INTEGER PRIMARY KEY REFERENCES chunks (seq) ON DELETE CASCADE,
  scope_id INTEGER NOT NULL,
  document_seq INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  vector BLOB NOT NULL,
  hash INTEGER NOT NULL
) STRICT;
CREATE INDEX odd_vectors_scope ON odd_vectors (scope_id);
ALTER TABLE namespaces ADD COLUMN vector_set INTEGER NOT NULL DEFAULT 0;
ALTER TABLE namespaces ADD COLUMN last_vector_set INTEGER NOT NULL DEFAULT 0;
ALTER TABLE scopes ADD COLUMN vector_set INTEGER NOT NULL DEFAULT 0;
ALTER TABLE vector_files ADD COLUMN vector_set INTEGER NOT NULL DEFAULT 0;
CREATE TABLE reembeddings (
  namespace_id TEXT PRIMARY KEY REFERENCES namespaces (id),
  vector_set INTEGER NOT NULL,
  embedding_config TEXT NOT NULL,
  state TEXT NOT NULL,
  wants_switch INTEGER NOT NULL,
  chunks_per_second INTEGER,
  after_scope INTEGER NOT NULL DEFAULT 0,
  after_chunk INTEGER NOT NULL DEFAULT 0,
  written INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  started_at INTEGER NOT NULL,
  completed_at INTEGER
) STRICT, WITHOUT ROWID;
`,
};
