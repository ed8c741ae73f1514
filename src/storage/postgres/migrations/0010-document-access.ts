/**
 * Adds who may see a document (NULL for all), and the principals that an API key is bound to (NULL for none). Earlier
 * versions would publish restricted documents for all, and let bound keys see everything, so they can't use the database
 * any more.
 */
export const documentAccess = {
  name: "document-access",
  sql: `
ALTER TABLE documents ADD COLUMN allow text;
ALTER TABLE api_keys ADD COLUMN principals text;
`,
};
