import { STATUSES, type Status } from "../../types.js";

const FROM_WAITING: readonly Status[] = ["PRE_PROCESSING", "FAILED", "CANCELLING", "CANCELLED", "QUEUED_FOR_DELETE"];
const FROM_RUNNING: readonly Status[] = [
  "QUEUED",
  "QUEUED_FOR_RESYNC",
  "FAILED",
  "CANCELLING",
  "CANCELLED",
  "QUEUED_FOR_DELETE",
];
const FROM_ENDED: readonly Status[] = ["QUEUED_FOR_RESYNC", "QUEUED_FOR_DELETE"];

/**
 * The allowed transitions of jobs and documents. A running one returns to the queue after a retryable failure or when
 * its process has died.
 */
export const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  BACKLOG: ["QUEUED", "CANCELLED", "QUEUED_FOR_DELETE"],
  QUEUED: FROM_WAITING,
  QUEUED_FOR_RESYNC: FROM_WAITING,
  PRE_PROCESSING: ["PROCESSING", ...FROM_RUNNING],
  PROCESSING: ["COMPLETED", ...FROM_RUNNING],
  CANCELLING: ["CANCELLED", "QUEUED_FOR_DELETE"],
  CANCELLED: FROM_ENDED,
  COMPLETED: FROM_ENDED,
  FAILED: FROM_ENDED,
  QUEUED_FOR_DELETE: ["DELETING"],
  DELETING: [],
};

/** The statuses from which a status can be reached. */
export function statusesBefore(status: Status): readonly Status[] {
  return STATUSES.filter((from) => TRANSITIONS[from].includes(status));
}

/** Statuses of jobs and documents with work pending or in progress. */
export const UNFINISHED: readonly Status[] = [
  "BACKLOG",
  "QUEUED",
  "QUEUED_FOR_RESYNC",
  "PRE_PROCESSING",
  "PROCESSING",
  "CANCELLING",
];
