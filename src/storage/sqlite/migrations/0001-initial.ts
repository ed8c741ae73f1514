/**
 * Creates the tables of the first version. Content is deleted explicitly in small steps, so few foreign keys cascade.
 */
export const initial = {
  name: "initial",
  sql: `
CREATE TABLE organizations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  plan TEXT,
  served INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE namespaces (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  slug_key TEXT NOT NULL,
  embedding_config TEXT NOT NULL,
  vector_store_config TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX namespaces_slug ON namespaces (organization_id, slug_key) WHERE deleted_at IS NULL;

CREATE TABLE sealed_values (
  namespace_id TEXT NOT NULL REFERENCES namespaces (id),
  owner TEXT NOT NULL,
  field TEXT NOT NULL,
  key_id TEXT NOT NULL,
  sealed TEXT NOT NULL,
  PRIMARY KEY (namespace_id, owner, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE scopes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id),
  tenant_id TEXT,
  epoch INTEGER NOT NULL DEFAULT 0,
  chunks INTEGER NOT NULL DEFAULT 0,
  keyword_table INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX scopes_owner ON scopes (namespace_id, coalesce(tenant_id, ''));
CREATE TABLE scope_changes (
  scope_id INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL,
  document_seq INTEGER NOT NULL,
  PRIMARY KEY (scope_id, epoch)
) STRICT, WITHOUT ROWID;

CREATE TABLE ingest_jobs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id),
  tenant_id TEXT,
  external_id TEXT,
  name TEXT,
  status TEXT NOT NULL,
  error TEXT,
  config TEXT NOT NULL,
  documents_total INTEGER NOT NULL DEFAULT 0,
  documents_completed INTEGER NOT NULL DEFAULT 0,
  documents_failed INTEGER NOT NULL DEFAULT 0,
  pages INTEGER NOT NULL DEFAULT 0,
  chunks INTEGER NOT NULL DEFAULT 0,
  embedded INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  queued_at INTEGER,
  pre_processing_at INTEGER,
  processing_at INTEGER,
  completed_at INTEGER,
  failed_at INTEGER
) STRICT;
CREATE TABLE ingest_job_payloads (
  ingest_job_seq INTEGER PRIMARY KEY REFERENCES ingest_jobs (seq) ON DELETE CASCADE,
  payload TEXT NOT NULL
) STRICT;
CREATE INDEX ingest_jobs_list ON ingest_jobs (namespace_id, seq);
CREATE UNIQUE INDEX ingest_jobs_external ON ingest_jobs (namespace_id, coalesce(tenant_id, ''), external_id)
  WHERE external_id IS NOT NULL AND status NOT IN ('QUEUED_FOR_DELETE', 'DELETING');
CREATE INDEX ingest_jobs_backlog ON ingest_jobs (seq) WHERE status = 'BACKLOG';

CREATE TABLE documents (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  ingest_job_id TEXT NOT NULL REFERENCES ingest_jobs (id),
  namespace_id TEXT NOT NULL REFERENCES namespaces (id),
  tenant_id TEXT,
  scope_id INTEGER NOT NULL REFERENCES scopes (id),
  item INTEGER NOT NULL,
  name TEXT,
  status TEXT NOT NULL,
  error TEXT,
  source_key TEXT,
  config TEXT NOT NULL,
  file_size INTEGER NOT NULL,
  mime_type TEXT NOT NULL,
  warnings TEXT NOT NULL DEFAULT '[]',
  generation INTEGER NOT NULL DEFAULT 0,
  building INTEGER NOT NULL DEFAULT 0,
  last_generation INTEGER NOT NULL DEFAULT 0,
  total_chunks INTEGER NOT NULL DEFAULT 0,
  total_tokens INTEGER NOT NULL DEFAULT 0,
  total_characters INTEGER NOT NULL DEFAULT 0,
  total_pages INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  queued_at INTEGER,
  pre_processing_at INTEGER,
  processing_at INTEGER,
  completed_at INTEGER,
  failed_at INTEGER
) STRICT;
CREATE TABLE document_sources (
  document_seq INTEGER PRIMARY KEY REFERENCES documents (seq) ON DELETE CASCADE,
  source TEXT NOT NULL
) STRICT;
CREATE TABLE document_texts (
  document_seq INTEGER NOT NULL REFERENCES documents (seq) ON DELETE CASCADE,
  generation INTEGER NOT NULL,
  start_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  text TEXT NOT NULL,
  page_starts TEXT,
  PRIMARY KEY (document_seq, generation, start_offset)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX documents_item ON documents (ingest_job_id, item);
CREATE INDEX documents_list ON documents (namespace_id, seq);
CREATE INDEX documents_scope ON documents (scope_id, generation);
CREATE INDEX documents_source ON documents (source_key) WHERE source_key IS NOT NULL;

CREATE TABLE chunks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_id INTEGER NOT NULL REFERENCES scopes (id),
  document_seq INTEGER NOT NULL REFERENCES documents (seq),
  generation INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  text TEXT NOT NULL,
  index_text TEXT,
  headings TEXT NOT NULL,
  page INTEGER,
  metadata TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  start_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  boxes TEXT,
  embedding_key BLOB,
  stemmed INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX chunks_place ON chunks (document_seq, generation, ordinal);
CREATE INDEX chunks_scope ON chunks (scope_id);
CREATE INDEX chunks_embedding ON chunks (embedding_key) WHERE embedding_key IS NOT NULL;

CREATE TABLE vectors (
  chunk_seq INTEGER PRIMARY KEY REFERENCES chunks (seq) ON DELETE CASCADE,
  scope_id INTEGER NOT NULL,
  document_seq INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  vector BLOB NOT NULL
) STRICT;
CREATE INDEX vectors_scope ON vectors (scope_id);
CREATE TABLE vector_records (
  scope_id INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  document_seq INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  part INTEGER NOT NULL,
  dimensions INTEGER NOT NULL,
  count INTEGER NOT NULL,
  records BLOB NOT NULL,
  PRIMARY KEY (scope_id, document_seq, generation, part)
) STRICT, WITHOUT ROWID;
CREATE TABLE vector_blocks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_id INTEGER NOT NULL REFERENCES scopes (id) ON DELETE CASCADE,
  first_document INTEGER NOT NULL,
  last_document INTEGER NOT NULL,
  dimensions INTEGER NOT NULL,
  documents BLOB NOT NULL,
  generations BLOB NOT NULL,
  records BLOB NOT NULL
) STRICT;
CREATE INDEX vector_blocks_scope ON vector_blocks (scope_id, first_document, last_document);

CREATE TABLE chunk_metadata (
  scope_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  value ANY NOT NULL,
  chunk_seq INTEGER NOT NULL,
  PRIMARY KEY (scope_id, key, kind, value, chunk_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE embedding_cache (
  namespace_id TEXT NOT NULL,
  key BLOB NOT NULL,
  vector BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX embedding_cache_key ON embedding_cache (namespace_id, key);

CREATE TABLE tasks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'ready',
  run_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  lease_until INTEGER,
  fence INTEGER NOT NULL DEFAULT 0,
  last_error TEXT
) STRICT;
CREATE UNIQUE INDEX tasks_subject ON tasks (kind, subject);
CREATE INDEX tasks_ready ON tasks (organization_id, run_at, seq) WHERE state = 'ready';
CREATE INDEX tasks_running ON tasks (lease_until) WHERE state = 'running';

CREATE TABLE processes (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  heartbeat_at INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  ingest_job_id TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX events_job ON events (ingest_job_id, seq);

CREATE TABLE uploads (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  namespace_id TEXT NOT NULL REFERENCES namespaces (id),
  file_name TEXT NOT NULL,
  content_type TEXT NOT NULL,
  file_size INTEGER NOT NULL,
  sha256 TEXT,
  state TEXT NOT NULL,
  receiving_until INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_namespace ON uploads (namespace_id);
CREATE INDEX uploads_expiry ON uploads (expires_at);

CREATE TABLE hosting (
  namespace_id TEXT PRIMARY KEY REFERENCES namespaces (id),
  slug TEXT NOT NULL UNIQUE,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  scope TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX api_keys_list ON api_keys (organization_id, seq);
`,
};
