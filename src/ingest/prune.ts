import type { Engine } from "../engine/engine.js";

const DAY_MS = 24 * 60 * 60_000;

/** Removes records that have reached the age in the option `retention`, in small steps, beside other writes. */
export async function prune({ storage, options, now }: Engine, signal: AbortSignal): Promise<void> {
  const before = now() - options.retention.webhookDeliveryDays * DAY_MS;
  while (!signal.aborted && (await storage.webhooks.prune({ before })));
  while (!signal.aborted && (await storage.organizations.foldUsage({})));
}
