import { STATUSES, type Status } from "../../types.js";

const AFTER_QUEUED: readonly Status[] = ["PRE_PROCESSING", "FAILED", "CANCELLING", "CANCELLED", "QUEUED_FOR_DELETE"];
const AFTER_RUNNING: readonly Status[] = [
  "QUEUED",
  "QUEUED_FOR_RESYNC",
  "FAILED",
  "CANCELLING",
  "CANCELLED",
  "QUEUED_FOR_DELETE",
];
const AFTER_END: readonly Status[] = ["QUEUED_FOR_RESYNC", "QUEUED_FOR_DELETE"];

/**
 * The statuses that can follow each status of a job or document. A running job or document returns to the queue after a
 * retryable failure, or when its process has died.
 */
export const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  BACKLOG: ["QUEUED", "CANCELLED", "QUEUED_FOR_DELETE"],
  QUEUED: AFTER_QUEUED,
  QUEUED_FOR_RESYNC: AFTER_QUEUED,
  PRE_PROCESSING: ["PROCESSING", ...AFTER_RUNNING],
  PROCESSING: ["COMPLETED", ...AFTER_RUNNING],
  CANCELLING: ["CANCELLED", "QUEUED_FOR_DELETE"],
  CANCELLED: AFTER_END,
  COMPLETED: AFTER_END,
  FAILED: AFTER_END,
  QUEUED_FOR_DELETE: ["DELETING"],
  DELETING: [],
};

/** Returns the statuses that a status can follow. */
export function statusesBefore(status: Status): readonly Status[] {
  return STATUSES.filter((from) => TRANSITIONS[from].includes(status));
}

/** The statuses of jobs and documents with work pending or in progress. */
export const UNFINISHED_STATUSES: readonly Status[] = [
  "BACKLOG",
  "QUEUED",
  "QUEUED_FOR_RESYNC",
  "PRE_PROCESSING",
  "PROCESSING",
  "CANCELLING",
];
