/** Adds a sample of the queries of each namespace: those with the lowest random numbers. */
export const sampledQueries = {
  name: "sampled-queries",
  sql: `
CREATE TABLE sampled_queries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  tenant_id TEXT,
  query TEXT NOT NULL,
  draw INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sampled_queries_draw ON sampled_queries (namespace_id, draw);
CREATE INDEX sampled_queries_expiry ON sampled_queries (expires_at);
`,
};
