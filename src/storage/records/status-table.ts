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
 * Every step that a job or a document may take. A running one returns to its queue when a failure may pass or a process
 * has died.
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

/** The statuses from which one may be reached. */
export function statusesBefore(status: Status): readonly Status[] {
  return STATUSES.filter((from) => TRANSITIONS[from].includes(status));
}

/** A job or document in one of these has work before it or under way. */
export const UNFINISHED: readonly Status[] = [
  "BACKLOG",
  "QUEUED",
  "QUEUED_FOR_RESYNC",
  "PRE_PROCESSING",
  "PROCESSING",
  "CANCELLING",
];
