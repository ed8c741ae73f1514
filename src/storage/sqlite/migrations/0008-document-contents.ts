/**
 * Adds the content hash and the local path of documents, so that equal contents are recognised. Texts that were already
 * ingested have no hash until they are ingested again, since SQLite can't compute the hash.
 */
export const documentContents = {
  name: "document-contents",
  sql: `
ALTER TABLE documents ADD COLUMN content_hash TEXT;
ALTER TABLE documents ADD COLUMN source_path TEXT;
ALTER TABLE ingest_job_payloads ADD COLUMN source_paths TEXT;
ALTER TABLE ingest_job_payloads ADD COLUMN dedupe INTEGER NOT NULL DEFAULT 0;
UPDATE documents SET content_hash = (SELECT sha256 FROM uploads WHERE uploads.key = documents.source_key)
  WHERE source_key IS NOT NULL;
UPDATE documents SET content_hash = (SELECT content_hash FROM origins WHERE document_seq = documents.seq)
  WHERE EXISTS (SELECT 1 FROM document_sources s WHERE s.document_seq = documents.seq
    AND json_extract(s.source, '$.type') = 'FILE');
CREATE INDEX documents_content ON documents (scope_id, content_hash) WHERE content_hash IS NOT NULL;
CREATE INDEX documents_path ON documents (scope_id, source_path) WHERE source_path IS NOT NULL;
`,
};
