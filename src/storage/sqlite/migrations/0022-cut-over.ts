/** Calls a cut-over by that name in columns and states too. */
export const cutOver = {
  name: "cut-over",
  sql: `
ALTER TABLE reembeddings RENAME COLUMN wants_switch TO wants_cut_over;
UPDATE reembeddings SET state = 'cut_over' WHERE state = 'switched';
`,
};
