import type { KnowledgeBase, WebhookDelivery } from "lorebase";
import type { CampaignReceiver } from "./webhook-receiver.js";

const STEP_MS = 12 * 3_600_000;

/** The types of events that webhooks are sent and that are stored with the job. */
const TOLD = new Set(
  ["queued_for_resync", "processing", "completed", "failed", "cancelled", "queued_for_delete"].flatMap((status) => [
    `document.${status}`,
    `ingest_job.${status}`,
  ]),
).add("ingest_job.queued");

/** What a campaign knows about its webhook. */
interface ToldWebhook {
  readonly kb: KnowledgeBase;
  readonly webhookId: string;
  readonly receiver: CampaignReceiver;
  /** Jobs whose creation or removal was acknowledged. */
  readonly created: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
  /** Moves the clock of the knowledge base. */
  advance(ms: number): void;
}

/** Lets time pass until nothing is pending, and compares what was recorded, accepted and acknowledged. */
export async function compareWebhooks(
  webhook: ToldWebhook,
): Promise<{ readonly deliveries: number; readonly faults: readonly string[] }> {
  const { kb, webhookId, advance, receiver } = webhook;
  do {
    await kb.drain();
    advance(STEP_MS);
  } while ((await kb.webhooks.listDeliveries(webhookId, { status: "PENDING", perPage: 1 })).items.length > 0);
  const bySubject = new Map<string, WebhookDelivery[]>();
  let deliveries = 0;
  for await (const delivery of kb.webhooks.iterateDeliveries(webhookId, { order: "asc", perPage: 100 })) {
    deliveries++;
    bySubject.set(delivery.event.data.id, [...(bySubject.get(delivery.event.data.id) ?? []), delivery]);
  }
  const faults = [...faultsOfReceiver(receiver, bySubject), ...(await faultsOfJobs(webhook, bySubject))];
  return { deliveries, faults };
}

type Deliveries = ReadonlyMap<string, readonly WebhookDelivery[]>;

/** Each event was accepted, in the order in which it was recorded. */
function faultsOfReceiver(receiver: CampaignReceiver, bySubject: Deliveries): readonly string[] {
  const faults = [...receiver.faults];
  for (const subject of new Set([...bySubject.keys(), ...receiver.accepted.keys()])) {
    const recorded = (bySubject.get(subject) ?? []).map(({ id }) => id).join(" ");
    const accepted = (receiver.accepted.get(subject) ?? []).join(" ");
    if (recorded !== accepted) faults.push(`order: ${subject}: recorded ${recorded}, accepted ${accepted}`);
  }
  for (const { id, status } of [...bySubject.values()].flat())
    if (status !== "DELIVERED") faults.push(`lost: ${id} is ${status}`);
  return faults;
}

/** Acknowledged jobs have their events: of those that still exist, exactly those that are stored with the job. */
async function faultsOfJobs({ kb, created, deleted }: ToldWebhook, bySubject: Deliveries): Promise<readonly string[]> {
  const faults: string[] = [];
  const typesOf = (id: string): string[] => (bySubject.get(id) ?? []).map(({ event }) => event.type);
  for (const id of created) {
    const types = typesOf(id);
    if (types[0] !== "ingest_job.queued") faults.push(`lost: the creation of ${id}`);
    if (deleted.has(id)) {
      if (types.at(-1) !== "ingest_job.deleted") faults.push(`lost: the removal of ${id}`);
    } else if (types.at(-1) !== "ingest_job.deleted") faults.push(...(await faultsOfEvents(kb, id, typesOf)));
  }
  return faults;
}

async function faultsOfEvents(
  kb: KnowledgeBase,
  id: string,
  typesOf: (id: string) => string[],
): Promise<readonly string[]> {
  const expected = new Map<string, string[]>([[id, []]]);
  const run = await kb.namespace("campaign").ingestJobs.watch(id);
  for await (const event of run.events({ after: 0 })) {
    if (event.type !== "job.status" && event.type !== "document.status") continue;
    const subject = event.type === "job.status" ? id : event.documentId;
    const type = `${event.type === "job.status" ? "ingest_job" : "document"}.${event.status.toLowerCase()}`;
    if (TOLD.has(type)) expected.set(subject, [...(expected.get(subject) ?? []), type]);
  }
  return [...expected].flatMap(([subject, types]) =>
    typesOf(subject).join() === types.join() ? [] : [`lost: ${subject}: stored ${types}, told ${typesOf(subject)}`],
  );
}
