/**
 * Creates the table of master keys that processes have used, by their ids, which reveal nothing of the keys. A process
 * with another key is thereby noticed before it signs URLs that others refuse.
 */
export const masterKeys = {
  name: "master-keys",
  compatibleSince: 2,
  sql: "CREATE TABLE master_keys (id text PRIMARY KEY, used_at bigint NOT NULL);",
};
