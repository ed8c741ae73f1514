/**
 * Lets the discard of a set of vectors give up what its vector store has. Earlier code goes on trying to empty the store, until
 * a process that knows the column takes the task.
 */
export const abandonedStores = {
  name: "abandoned-stores",
  compatibleSince: 15,
  sql: "ALTER TABLE reembeddings ADD COLUMN abandons_store bigint NOT NULL DEFAULT 0;",
};
