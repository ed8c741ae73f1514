/**
 * What a store outside the database may have of generations that nobody sees yet. It outlives the document that it was
 * written for, and its namespace, with the keys of the store, stays until it is gone.
 */
export const unpublishedVectors = {
  name: "unpublished-vectors",
  sql: `
CREATE TABLE unpublished_vectors (
  document_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id),
  tenant_id TEXT,
  chunks INTEGER NOT NULL,
  PRIMARY KEY (document_id, generation)
) STRICT, WITHOUT ROWID;
`,
};
