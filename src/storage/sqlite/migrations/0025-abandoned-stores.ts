/** Lets the discard of a set of vectors, and the removal of a namespace, give up what vector stores have. */
export const abandonedStores = {
  name: "abandoned-stores",
  sql: `
ALTER TABLE reembeddings ADD COLUMN abandons_store INTEGER NOT NULL DEFAULT 0;
ALTER TABLE namespaces ADD COLUMN abandons_stores INTEGER NOT NULL DEFAULT 0;
`,
};
