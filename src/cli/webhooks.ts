import type { OrganizationHandle, Webhook, WebhookDelivery } from "../index.js";
import { WEBHOOK_EVENT_TYPES } from "../types.js";
import { collect } from "../util/collect.js";
import { WEBHOOK_DELIVERY_STATUSES } from "../validation/webhook-schema.js";
import { formatColumns } from "./columns.js";
import type { Command, Invocation, Outcome } from "./command.js";
import { findOrganization } from "./find-organization.js";
import { parseChoice } from "./flag-values.js";
import { type FlagName, STORAGE_FLAGS } from "./flags.js";
import { withExistingKnowledgeBase } from "./with-knowledge-base.js";

type Webhooks = OrganizationHandle["webhooks"];

const FLAGS: readonly FlagName[] = [...STORAGE_FLAGS, "organization"];
const SENT_LATER = "it is sent by the next process that runs jobs, such as lorebase serve";

// These commands send nothing: that is left to a process that runs jobs.
export const webhookCommands: readonly Command[] = [
  {
    name: "webhooks create",
    summary: "send events to a URL, signed with a secret that is shown once",
    usage: "<url>",
    operands: { min: 1, max: 1 },
    flags: [...FLAGS, "event", "description"],
    run: (invocation) =>
      withWebhooks(invocation, async (webhooks, [url]) => {
        const { event = [], description } = invocation.flags;
        const eventTypes = event.map((type) => parseChoice("event", type, WEBHOOK_EVENT_TYPES)!);
        const created = await webhooks.create({ url: url!, description, eventTypes });
        // Only the secret goes to stdout, for SECRET=$(lorebase webhooks create …).
        invocation.terminal.err(`${created.id}. The secret is shown only once: store it now.\n`);
        return { json: created, text: created.secret };
      }),
  },
  {
    name: "webhooks list",
    summary: "show the webhooks",
    flags: FLAGS,
    run: (invocation) =>
      withWebhooks(invocation, async (list) => {
        const webhooks = await collect(list.iterate({ order: "asc" }));
        const text = webhooks.length === 0 ? "no webhooks" : formatColumns(webhooks.map(toRow));
        return { json: { webhooks }, text };
      }),
  },
  createWebhookCommand("webhooks enable", "continue to send, also what was pending", async (webhooks, [id]) => {
    const webhook = await webhooks.update(id!, { enabled: true });
    return { json: webhook, text: `enabled ${webhook.id}` };
  }),
  createWebhookCommand("webhooks disable", "stop sending and recording events", async (webhooks, [id]) => {
    const webhook = await webhooks.update(id!, { enabled: false });
    return { json: webhook, text: `disabled ${webhook.id}` };
  }),
  createWebhookCommand("webhooks delete", "delete a webhook with its deliveries", async (webhooks, [id]) => {
    const webhook = await webhooks.delete(id!);
    return { json: webhook, text: `deleted ${webhook.id} (${webhook.url})` };
  }),
  createWebhookCommand(
    "webhooks rotate-secret",
    "replace the secret; the previous one signs too for 24 hours",
    async (webhooks, [id]) => {
      const rotated = await webhooks.rotateSecret(id!);
      return { json: rotated, text: rotated.secret };
    },
  ),
  createWebhookCommand("webhooks ping", "queue a test event", async (webhooks, [id]) => {
    const delivery = await webhooks.ping(id!);
    return { json: delivery, text: `queued ${delivery.id}; ${SENT_LATER}` };
  }),
  {
    name: "webhooks deliveries",
    summary: "show the deliveries, newest first",
    usage: "<id>",
    operands: { min: 1, max: 1 },
    flags: [...FLAGS, "status"],
    run: (invocation) =>
      withWebhooks(invocation, async (webhooks, [id]) => {
        const status = parseChoice("status", invocation.flags.status, WEBHOOK_DELIVERY_STATUSES);
        const deliveries = await collect(webhooks.iterateDeliveries(id!, { status }));
        const text = deliveries.length === 0 ? "no deliveries" : formatColumns(deliveries.map(toDeliveryRow));
        return { json: { deliveries }, text };
      }),
  },
  {
    name: "webhooks redeliver",
    summary: "send a delivery again",
    usage: "<id> <delivery>",
    operands: { min: 2, max: 2 },
    flags: FLAGS,
    run: (invocation) =>
      withWebhooks(invocation, async (webhooks, [id, deliveryId]) => {
        const delivery = await webhooks.redeliver(id!, deliveryId!);
        return { json: delivery, text: `queued ${delivery.id}; ${SENT_LATER}` };
      }),
  },
];

/** Creates a command that works on one webhook. */
function createWebhookCommand(
  name: string,
  summary: string,
  work: (webhooks: Webhooks, operands: readonly string[]) => Promise<Outcome>,
): Command {
  return {
    name,
    summary,
    usage: "<id>",
    operands: { min: 1, max: 1 },
    flags: FLAGS,
    run: (invocation) => withWebhooks(invocation, work),
  };
}

function withWebhooks(
  invocation: Invocation,
  work: (webhooks: Webhooks, operands: readonly string[]) => Promise<Outcome>,
): Promise<Outcome> {
  return withExistingKnowledgeBase(invocation, async (kb) => {
    const { webhooks } = await findOrganization(kb, invocation.flags);
    return work(webhooks, invocation.operands);
  });
}

function toRow({ id, enabled, failingSince, url, eventTypes, description }: Webhook): string[] {
  const state = enabled ? (failingSince === null ? "enabled" : "failing") : "disabled";
  return [id, state, url, eventTypes.length === 0 ? "all events" : eventTypes.join(","), description ?? ""];
}

function toDeliveryRow({ id, status, event, attempts, createdAt, httpStatus, error }: WebhookDelivery): string[] {
  const outcome = error ?? (httpStatus === null ? "" : String(httpStatus));
  return [id, status, event.type, event.data.id, `attempts: ${attempts}`, `${createdAt.slice(0, 19)}Z`, outcome];
}
