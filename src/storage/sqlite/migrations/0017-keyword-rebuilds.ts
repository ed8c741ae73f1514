/** Adds the scopes whose keyword table is being replaced, and the last chunk whose words the new table has. */
export const keywordRebuilds = {
  name: "keyword-rebuilds",
  sql: `
CREATE TABLE keyword_rebuilds (
  scope_id INTEGER PRIMARY KEY REFERENCES scopes (id) ON DELETE CASCADE,
  last_chunk INTEGER NOT NULL
) STRICT;
`,
};
