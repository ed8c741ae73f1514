import type { RunningServer } from "../http/index.js";
import type { KnowledgeBase } from "../index.js";
import type { Log } from "./log.js";

/** Serves the metrics of a process on a port of their own. */
export async function serveMetrics(
  kb: KnowledgeBase,
  { log, ...options }: { readonly port: number; readonly host: string | undefined; readonly log: Log },
): Promise<RunningServer> {
  const http = await import("../http/index.js");
  return http.serveMetrics(kb, { ...options, onError: (error) => log.error("metrics failed", error) });
}
