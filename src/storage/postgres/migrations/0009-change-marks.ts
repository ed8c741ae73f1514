/**
 * Gives each change of a scope a random mark. Epochs go back when a standby that lacks the last changes takes over, or a
 * backup is restored under a running process: by the mark, a reader notices that its epoch was another one.
 */
export const changeMarks = {
  name: "change-marks",
  compatibleSince: 8,
  sql: `
ALTER TABLE scope_changes ADD COLUMN mark bigint NOT NULL DEFAULT floor(random() * 9007199254740991)::bigint;
`,
};
