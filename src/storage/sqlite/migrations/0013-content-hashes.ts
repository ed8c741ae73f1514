/**
 * Adds the hashes of stored content. Rows of earlier versions get theirs from maintenance, in small steps: each table's
 * row in `unhashed_rows` says where it goes on (`next`) and where it ends (`last`).
 */
export const contentHashes = {
  name: "content-hashes",
  sql: `
ALTER TABLE chunks ADD COLUMN hash INTEGER;
ALTER TABLE vectors ADD COLUMN hash INTEGER;
ALTER TABLE embedding_cache ADD COLUMN hash INTEGER;
ALTER TABLE document_texts ADD COLUMN hash INTEGER;
ALTER TABLE ingest_job_payloads ADD COLUMN hash INTEGER;
ALTER TABLE events ADD COLUMN hash INTEGER;
CREATE TABLE unhashed_rows (
  name TEXT PRIMARY KEY,
  next INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO unhashed_rows SELECT 'chunks', 0, last FROM (SELECT max(seq) AS last FROM chunks) WHERE last IS NOT NULL;
INSERT INTO unhashed_rows SELECT 'vectors', 0, last FROM (SELECT max(chunk_seq) AS last FROM vectors) WHERE last IS NOT NULL;
INSERT INTO unhashed_rows SELECT 'embedding_cache', 0, last FROM (SELECT max(rowid) AS last FROM embedding_cache) WHERE last IS NOT NULL;
INSERT INTO unhashed_rows SELECT 'document_texts', 0, last FROM (SELECT max(document_seq) AS last FROM document_texts) WHERE last IS NOT NULL;
INSERT INTO unhashed_rows SELECT 'ingest_job_payloads', 0, last FROM (SELECT max(ingest_job_seq) AS last FROM ingest_job_payloads)
  WHERE last IS NOT NULL;
INSERT INTO unhashed_rows SELECT 'events', 0, last FROM (SELECT max(seq) AS last FROM events) WHERE last IS NOT NULL;
`,
};
