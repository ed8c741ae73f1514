/** Adds readers' ratings of answers, which are listed by namespace in the order in which they were given. */
export const feedback = {
  name: "feedback",
  sql: `
CREATE TABLE feedback (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id),
  tenant_id TEXT,
  question TEXT NOT NULL,
  answer TEXT NOT NULL,
  rating TEXT NOT NULL,
  comment TEXT,
  chunk_ids TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX feedback_list ON feedback (namespace_id, seq);
`,
};
