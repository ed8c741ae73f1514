import { constants, setPriority } from "node:os";

/**
 * Gives searches the processor first. Only Linux has priorities per thread (sched(7)); elsewhere this would slow down
 * the whole host process, so it does nothing there.
 */
export function lowerThreadPriority(): void {
  if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
