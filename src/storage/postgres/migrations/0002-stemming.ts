/** Records how the words of each chunk are stemmed, instead of whether they are by English rules. */
export const stemming = {
  name: "stemming",
  sql: `
ALTER TABLE chunks ALTER COLUMN stemmed TYPE smallint USING stemmed::int;
ALTER TABLE chunks RENAME COLUMN stemmed TO stemming;
`,
};
