/**
 * Adds what remote sources need: jobs that discover their documents while they run, the pages of a crawl, fetched bytes
 * that wait to be ingested, and the source versions of published documents. Deletes the documents of earlier crawls and
 * videos: each had one document, which could only fail.
 */
export const sources = {
  name: "sources",
  sql: `
ALTER TABLE ingest_jobs ADD COLUMN documents_known INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ingest_jobs ADD COLUMN round INTEGER NOT NULL DEFAULT 1;
ALTER TABLE documents ADD COLUMN name_given INTEGER NOT NULL DEFAULT 1;
ALTER TABLE documents ADD COLUMN found_key TEXT;
ALTER TABLE documents ADD COLUMN awaits_source INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX documents_found ON documents (ingest_job_id, found_key) WHERE found_key IS NOT NULL;

DELETE FROM documents WHERE last_generation = 0 AND ingest_job_id IN (
  SELECT id FROM ingest_jobs JOIN ingest_job_payloads ON ingest_job_seq = seq
  WHERE json_extract(payload, '$.type') IN ('CRAWL', 'YOUTUBE'));
DELETE FROM scopes WHERE chunks = 0 AND keyword_table = 0 AND id NOT IN (SELECT scope_id FROM documents);
UPDATE ingest_jobs SET documents_total = 0, documents_failed = 0 WHERE seq IN (
  SELECT ingest_job_seq FROM ingest_job_payloads WHERE json_extract(payload, '$.type') IN ('CRAWL', 'YOUTUBE'));
UPDATE ingest_jobs SET documents_known = 1 WHERE documents_total > 0;

CREATE TABLE unwanted_documents (
  ingest_job_id TEXT NOT NULL REFERENCES ingest_jobs (id) ON DELETE CASCADE,
  found_key TEXT NOT NULL,
  PRIMARY KEY (ingest_job_id, found_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE crawl_pages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  ingest_job_id TEXT NOT NULL REFERENCES ingest_jobs (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  path TEXT,
  url TEXT NOT NULL,
  round INTEGER NOT NULL,
  place INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  redirects INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  target TEXT,
  stands_alone INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  content_hash TEXT,
  links TEXT
) STRICT;
CREATE UNIQUE INDEX crawl_pages_key ON crawl_pages (ingest_job_id, key);
CREATE INDEX crawl_pages_next ON crawl_pages (ingest_job_id, depth, place) WHERE state = 'pending';
CREATE INDEX crawl_pages_place ON crawl_pages (ingest_job_id, place);
CREATE INDEX crawl_pages_state ON crawl_pages (ingest_job_id, round, state, reason);
CREATE INDEX crawl_pages_content ON crawl_pages (ingest_job_id, content_hash) WHERE content_hash IS NOT NULL;
CREATE INDEX crawl_pages_target ON crawl_pages (ingest_job_id, target) WHERE target IS NOT NULL;
CREATE INDEX crawl_pages_path ON crawl_pages (ingest_job_id, path) WHERE path IS NOT NULL;

CREATE TABLE fetched_sources (
  document_seq INTEGER PRIMARY KEY REFERENCES documents (seq) ON DELETE CASCADE,
  url TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  file_name TEXT,
  etag TEXT,
  last_modified TEXT,
  content_hash TEXT NOT NULL,
  fetched_at INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE origins (
  document_seq INTEGER PRIMARY KEY REFERENCES documents (seq) ON DELETE CASCADE,
  etag TEXT,
  last_modified TEXT,
  content_hash TEXT NOT NULL,
  made_with TEXT NOT NULL,
  fetched_at INTEGER NOT NULL
) STRICT;
`,
};
