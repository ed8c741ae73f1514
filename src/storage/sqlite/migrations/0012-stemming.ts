/**
 * Records how the words of each chunk are stemmed, instead of whether they are by English rules. Documents that have
 * unstemmed words are listed: maintenance recognises their languages (search-index/reanalyze-documents.ts).
 */
export const stemming = {
  name: "stemming",
  sql: `
ALTER TABLE chunks RENAME COLUMN stemmed TO stemming;
ALTER TABLE scopes ADD COLUMN keyword_version INTEGER NOT NULL DEFAULT 0;
CREATE TABLE documents_to_analyze (
  document_seq INTEGER PRIMARY KEY REFERENCES documents (seq) ON DELETE CASCADE
) STRICT;
INSERT INTO documents_to_analyze SELECT seq FROM documents;
`,
};
