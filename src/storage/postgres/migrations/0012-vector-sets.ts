/**
 * Adds a second table of vectors, for namespaces that are embedded again, and which set of vectors searches use. Vectors
 * of even sets are in `vectors`, those of odd sets in `odd_vectors`. Earlier code would compare queries with vectors of
 * another model, so it refuses the database.
 */
export const vectorSets = {
  name: "vector-sets",
  sql: `
CREATE TABLE odd_vectors (
  chunk_seq bigint PRIMARY KEY REFERENCES chunks (seq) ON DELETE CASCADE,
  scope_id bigint NOT NULL,
  document_seq bigint NOT NULL,
  generation bigint NOT NULL,
  vector bytea NOT NULL,
  hash bigint NOT NULL
);
ALTER TABLE odd_vectors ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX odd_vectors_scope ON odd_vectors (scope_id, chunk_seq);
CREATE INDEX odd_vectors_document ON odd_vectors (document_seq, generation);
ALTER TABLE namespaces ADD COLUMN vector_set bigint NOT NULL DEFAULT 0;
ALTER TABLE namespaces ADD COLUMN last_vector_set bigint NOT NULL DEFAULT 0;
ALTER TABLE scopes ADD COLUMN vector_set bigint NOT NULL DEFAULT 0;
ALTER TABLE search_blocks ADD COLUMN vector_set bigint NOT NULL DEFAULT 0;
CREATE TABLE reembeddings (
  namespace_id text PRIMARY KEY REFERENCES namespaces (id),
  vector_set bigint NOT NULL,
  embedding_config text NOT NULL,
  state text NOT NULL,
  wants_switch bigint NOT NULL,
  chunks_per_second bigint,
  after_scope bigint NOT NULL DEFAULT 0,
  after_chunk bigint NOT NULL DEFAULT 0,
  written bigint NOT NULL DEFAULT 0,
  error text,
  started_at bigint NOT NULL,
  completed_at bigint
);
`,
};
