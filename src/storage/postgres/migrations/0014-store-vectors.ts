/**
 * Lets a set of vectors have a vector store of its own: which vectors stores have, what is being sent to them, and the
 * store of the set that searches don't use. A namespace with published chunks but no vectors has its vectors in a store.
 * Earlier code would publish documents without recording their vectors, so it refuses the database.
 */
export const storeVectors = {
  name: "store-vectors",
  sql: `
CREATE TABLE store_vectors (
  chunk_seq bigint PRIMARY KEY REFERENCES chunks (seq) ON DELETE CASCADE,
  scope_id bigint NOT NULL
);
CREATE INDEX store_vectors_scope ON store_vectors (scope_id, chunk_seq);
CREATE TABLE odd_store_vectors (
  chunk_seq bigint PRIMARY KEY REFERENCES chunks (seq) ON DELETE CASCADE,
  scope_id bigint NOT NULL
);
CREATE INDEX odd_store_vectors_scope ON odd_store_vectors (scope_id, chunk_seq);
INSERT INTO store_vectors (chunk_seq, scope_id)
SELECT c.seq, c.scope_id FROM namespaces n
JOIN documents d ON d.namespace_id = n.id AND d.generation > 0
JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
WHERE NOT EXISTS (SELECT 1 FROM scopes s JOIN vectors v ON v.scope_id = s.id WHERE s.namespace_id = n.id)
  AND NOT EXISTS (SELECT 1 FROM scopes s JOIN odd_vectors v ON v.scope_id = s.id WHERE s.namespace_id = n.id);
ALTER TABLE unpublished_vectors ADD COLUMN vector_set bigint DEFAULT 0;
ALTER TABLE unpublished_vectors ADD COLUMN second_set bigint;
ALTER TABLE reembeddings ADD COLUMN vector_store_config text NOT NULL DEFAULT '{}';
ALTER TABLE reembeddings ADD COLUMN in_store bigint NOT NULL DEFAULT 0;
ALTER TABLE reembeddings ADD COLUMN used_in_store bigint NOT NULL DEFAULT 0;
ALTER TABLE reembeddings ADD COLUMN same_model bigint NOT NULL DEFAULT 0;
ALTER TABLE reembeddings ADD COLUMN sent text;
UPDATE reembeddings SET vector_store_config = (SELECT n.vector_store_config FROM namespaces n WHERE n.id = namespace_id);
`,
};
