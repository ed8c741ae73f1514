import type { Engine } from "../engine/engine.js";

/** Shortens what the records have accumulated, in small steps, so that other writes can run between the steps. */
export async function prune({ storage }: Engine, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await storage.organizations.foldUsage({})));
}
