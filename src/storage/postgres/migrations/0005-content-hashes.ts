/**
 * Adds the hashes of stored content. Rows of earlier versions get theirs from maintenance, in small steps: each table's
 * row in `unhashed_rows` says where it goes on (`next`) and where it ends (`last`).
 */
export const contentHashes = {
  name: "content-hashes",
  sql: `
ALTER TABLE chunks ADD COLUMN hash bigint;
ALTER TABLE vectors ADD COLUMN hash bigint;
ALTER TABLE embedding_cache ADD COLUMN hash bigint;
ALTER TABLE document_texts ADD COLUMN hash bigint;
ALTER TABLE ingest_job_payloads ADD COLUMN hash bigint;
ALTER TABLE events ADD COLUMN hash bigint;
CREATE TABLE unhashed_rows (
  name text PRIMARY KEY,
  next bigint NOT NULL,
  last bigint NOT NULL
);
INSERT INTO unhashed_rows SELECT 'chunks', 0, last FROM (SELECT max(seq) AS last FROM chunks) m WHERE last IS NOT NULL;
INSERT INTO unhashed_rows SELECT 'vectors', 0, last FROM (SELECT max(chunk_seq) AS last FROM vectors) m WHERE last IS NOT NULL;
INSERT INTO unhashed_rows SELECT 'document_texts', 0, last FROM (SELECT max(document_seq) AS last FROM document_texts) m
  WHERE last IS NOT NULL;
INSERT INTO unhashed_rows SELECT 'ingest_job_payloads', 0, last FROM (SELECT max(ingest_job_seq) AS last FROM ingest_job_payloads) m
  WHERE last IS NOT NULL;
INSERT INTO unhashed_rows SELECT 'events', 0, last FROM (SELECT max(seq) AS last FROM events) m WHERE last IS NOT NULL;
`,
};
