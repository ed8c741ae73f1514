/**
 * Adds how long a task was to wait, in milliseconds, when it returned to the queue; 0 if it can be claimed at once. So
 * the time at which it is due means nothing to a task that need not wait, and a clock that was set back is noticed.
 */
export const taskDelays = {
  name: "task-delays",
  sql: "ALTER TABLE tasks ADD COLUMN delay_ms INTEGER NOT NULL DEFAULT 0;",
};
