/**
 * Adds a list of the unpublished generations whose vectors an external store may have. A row outlives its document. The
 * row's namespace, which has the API keys of the store, is kept until the row is gone.
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
