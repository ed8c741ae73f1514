/**
 * Adds what is known of passages for the report on a corpus: signatures of the published ones, whether they were compared
 * and questioned, near-duplicates, passages that no question finds, and questions that found nothing. Signatures are in
 * parts of consecutive passages of one document.
 */
export const corpusHealth = {
  name: "corpus-health",
  sql: `
CREATE TABLE passage_signatures (
  scope_id INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  document_seq INTEGER NOT NULL,
  first_ordinal INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  passages INTEGER NOT NULL,
  compared INTEGER NOT NULL,
  questioned INTEGER NOT NULL,
  signatures BLOB NOT NULL,
  PRIMARY KEY (scope_id, document_seq, first_ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX passage_signatures_uncompared ON passage_signatures (scope_id, document_seq, first_ordinal)
  WHERE compared = 0;
CREATE INDEX passage_signatures_unquestioned ON passage_signatures (scope_id, document_seq, first_ordinal)
  WHERE questioned < passages;

CREATE TABLE near_duplicates (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_id INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  document_seq INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  original_document_seq INTEGER NOT NULL,
  original_generation INTEGER NOT NULL,
  original_ordinal INTEGER NOT NULL,
  similarity_permille INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX near_duplicates_passage ON near_duplicates (document_seq, generation, ordinal);
CREATE INDEX near_duplicates_list ON near_duplicates (scope_id, seq);

CREATE TABLE unfindable_passages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_id INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  document_seq INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  question TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX unfindable_passages_passage ON unfindable_passages (document_seq, generation, ordinal);
CREATE INDEX unfindable_passages_list ON unfindable_passages (scope_id, seq);

CREATE TABLE unanswered_questions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
  tenant_id TEXT,
  question TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX unanswered_questions_list ON unanswered_questions (namespace_id, seq);
CREATE INDEX unanswered_questions_expiry ON unanswered_questions (expires_at);
`,
};
