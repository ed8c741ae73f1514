import { STATUSES, type Status } from "../../types.js";

const WAITING: readonly Status[] = ["PRE_PROCESSING", "FAILED", "CANCELLING", "CANCELLED", "QUEUED_FOR_DELETE"];
const RUNNING: readonly Status[] = [
  "QUEUED",
  "QUEUED_FOR_RESYNC",
  "FAILED",
  "CANCELLING",
  "CANCELLED",
  "QUEUED_FOR_DELETE",
];
const ENDED: readonly Status[] = ["QUEUED_FOR_RESYNC", "QUEUED_FOR_DELETE"];

/**
 * The allowed transitions of jobs and documents. A running one returns to its queue after a retryable failure or the
 * death of its process.
 */
export const TRANSITIONS: Readonly<Record<Status, readonly Status[]>> = {
  BACKLOG: ["QUEUED", "CANCELLED", "QUEUED_FOR_DELETE"],
  QUEUED: WAITING,
  QUEUED_FOR_RESYNC: WAITING,
  PRE_PROCESSING: ["PROCESSING", ...RUNNING],
  PROCESSING: ["COMPLETED", ...RUNNING],
  CANCELLING: ["CANCELLED", "QUEUED_FOR_DELETE"],
  CANCELLED: ENDED,
  COMPLETED: ENDED,
  FAILED: ENDED,
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
