/**
 * Adds which generation has only the first pages of its document. Earlier code would leave them searchable if the
 * document fails, so it refuses the database.
 */
export const firstPages = {
  name: "first-pages",
  sql: "ALTER TABLE documents ADD COLUMN partial_generation bigint NOT NULL DEFAULT 0;",
};
