/**
 * Gives each change of a scope a random mark. Epochs go back when a standby that lacks the last changes takes over, or a
 * backup is restored under a running process: by the mark, a reader notices that its epoch was another one. Changes that
 * were made before have none, since a default for them would write the table anew.
 */
export const changeMarks = {
  name: "change-marks",
  compatibleSince: 8,
  sql: `
ALTER TABLE scope_changes ADD COLUMN mark bigint;
ALTER TABLE scope_changes ALTER COLUMN mark SET DEFAULT floor(random() * 9007199254740991)::bigint;
`,
};
