/** Adds who may see a document (NULL for all), and the principals that an API key is bound to (NULL for none). */
export const documentAccess = {
  name: "document-access",
  sql: `
ALTER TABLE documents ADD COLUMN allow TEXT;
CREATE INDEX documents_restricted ON documents (scope_id) WHERE allow IS NOT NULL;
ALTER TABLE api_keys ADD COLUMN principals TEXT;
`,
};
