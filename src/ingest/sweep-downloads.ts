import type { IngestEngine } from "./ingest-engine.js";

/** A process without a heartbeat for this long counts as dead. */
const DEAD_AFTER_MS = 10 * 60_000;

/** Removes the downloads of dead processes. */
export async function sweepDownloads({ storage, fetching, now }: IngestEngine, processId: string): Promise<void> {
  // Listed first: a process is in the database before it fetches anything.
  const listed = await fetching.downloads.processes();
  if (listed.length === 0) return;
  const alive = await storage.processes.list({ since: now() - DEAD_AFTER_MS });
  const ids = new Set([processId, ...alive.map(({ id }) => id)]);
  for (const id of listed) if (!ids.has(id)) await fetching.downloads.removeAll(id);
}
