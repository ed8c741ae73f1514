/**
 * Adds golden questions, the clicks of which they are made, and the evaluations that were run, each listed by namespace in
 * the order of addition; and what guards a namespace's embedding model.
 */
export const goldenQuestions = {
  name: "golden-questions",
  sql: `
CREATE TABLE golden_questions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  tenant_id TEXT,
  key TEXT NOT NULL,
  key_digest TEXT NOT NULL,
  question TEXT NOT NULL,
  answers TEXT NOT NULL,
  origin TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX golden_questions_list ON golden_questions (namespace_id, seq);
CREATE UNIQUE INDEX golden_questions_key ON golden_questions (namespace_id, coalesce(tenant_id, ''), key_digest);

CREATE TABLE clicks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  tenant_id TEXT,
  question TEXT NOT NULL,
  chunk_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX clicks_list ON clicks (namespace_id, seq);

CREATE TABLE evaluations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  tenant_id TEXT,
  report TEXT NOT NULL,
  scores TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX evaluations_list ON evaluations (namespace_id, seq);

CREATE TABLE golden_guards (
  namespace_id TEXT PRIMARY KEY REFERENCES namespaces (id) ON DELETE CASCADE,
  guard TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
};
