import type { Engine } from "../engine/engine.js";

const DAY_MS = 24 * 60 * 60_000;

/** Removes records that have reached the age in the option `retention`, in small steps, beside other writes. */
export async function prune({ storage, options, now }: Engine, signal: AbortSignal): Promise<void> {
  const daysAgo = (days: number) => now() - days * DAY_MS;
  const { eventDays, webhookDeliveryDays } = options.retention;
  while (!signal.aborted && (await storage.health.pruneUnanswered({ now: now() })));
  while (!signal.aborted && (await storage.sampledQueries.prune({ now: now() })));
  while (!signal.aborted && (await storage.webhooks.prune({ before: daysAgo(webhookDeliveryDays) })));
  for (let after: number | null = 0; after !== null && !signal.aborted; )
    after = await storage.events.prune({ before: daysAgo(eventDays), after });
  while (!signal.aborted && (await storage.organizations.foldUsage({})));
}
