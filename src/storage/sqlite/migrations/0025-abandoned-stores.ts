/** Lets the discard of a set of vectors give up what its vector store has. */
export const abandonedStores = {
  name: "abandoned-stores",
  sql: "ALTER TABLE reembeddings ADD COLUMN abandons_store INTEGER NOT NULL DEFAULT 0;",
};
