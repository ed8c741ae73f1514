import { constants, setPriority } from "node:os";

/**
 * Lets others have the processor first: whoever asks waits for an answer, whoever ingests waits for many documents. Linux alone has
 * priorities for threads (sched(7)); elsewhere it would be the host's whole process that gives way, so nothing is done there.
 */
export function giveWay(): void {
  if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
