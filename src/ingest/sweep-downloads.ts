import type { IngestEngine } from "./ingest-engine.js";

/** A process of another machine or container that has given no sign of life for so long is taken for dead. */
const SILENT_MS = 10 * 60_000;

/** Removes what processes that have ended were fetching; what this one fetches stays. */
export async function sweepDownloads({ storage, outside, now }: IngestEngine, processId: string): Promise<void> {
  // Listed first: a process is in the database before it fetches anything.
  const listed = await outside.downloads.processes();
  if (listed.length === 0) return;
  const alive = await storage.processes.list({ since: now() - SILENT_MS });
  const ids = new Set([processId, ...alive.map(({ id }) => id)]);
  for (const id of listed) if (!ids.has(id)) await outside.downloads.removeAll(id);
}
