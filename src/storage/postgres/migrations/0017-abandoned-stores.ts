/**
 * Lets the discard of a set of vectors, and the removal of a namespace, give up what vector stores have. Earlier code
 * goes on trying to empty the store, until a process that knows the columns takes the task.
 */
export const abandonedStores = {
  name: "abandoned-stores",
  compatibleSince: 15,
  sql: `
ALTER TABLE reembeddings ADD COLUMN abandons_store bigint NOT NULL DEFAULT 0;
ALTER TABLE namespaces ADD COLUMN abandons_stores bigint NOT NULL DEFAULT 0;
`,
};
