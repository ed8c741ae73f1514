import type { KnowledgeBase } from "../index.js";
import type { Log } from "./log.js";

/** Writes to a log what a knowledge base tells that no call is waiting for. */
export function logEvents(kb: KnowledgeBase, log: Log): void {
  kb.on("warning", ({ message }) => log.warn(withoutCause(message)));
  kb.on("error", ({ error }) => log.error("background work failed", error));
  const quarters = new Map<string, number>();
  kb.on("model.progress", ({ file, loaded, total }) => {
    const quarter = total ? Math.floor((4 * loaded) / total) : 0;
    if (quarters.get(file) === quarter) return;
    quarters.set(file, quarter);
    log.info("loading a model", { file, loaded, total });
  });
}

/** A warning names the error that led to it after a colon, and errors are not quoted in a log. */
function withoutCause(message: string): string {
  return message.split(": ", 1)[0]!;
}
