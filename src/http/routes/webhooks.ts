import { listSchema } from "../../validation/list-schema.js";
import {
  createWebhookSchema,
  listWebhookDeliveriesSchema,
  updateWebhookSchema,
} from "../../validation/webhook-schema.js";
import { webhookDeliverySchema, webhookSchema, webhookWithSecretSchema } from "../response-schemas.js";
import { type Call, route } from "../route.js";

// All of them need an admin key: URLs of receivers often contain tokens.

const WEBHOOKS = "/v1/webhook";
const WEBHOOK = `${WEBHOOKS}/:webhookId`;
const DELIVERY = `${WEBHOOK}/deliveries/:deliveryId`;
const ADMIN = { access: "admin", response: webhookSchema } as const;
const idOf = ({ params }: Pick<Call, "params">): string => params.webhookId!;
const deliveryIdOf = ({ params }: Pick<Call, "params">): string => params.deliveryId!;

export const webhookRoutes = [
  route({
    operationId: "listWebhooks",
    summary: "List the organization's webhooks",
    method: "GET",
    path: WEBHOOKS,
    ...ADMIN,
    query: listSchema,
    list: true,
    run: ({ organization, query, signal }) => organization.webhooks.list({ ...query, signal }),
  }),
  route({
    operationId: "createWebhook",
    summary: "Create a webhook. Only this response has its secret",
    method: "POST",
    path: WEBHOOKS,
    access: "admin",
    body: createWebhookSchema,
    status: 201,
    response: webhookWithSecretSchema,
    run: ({ organization, body, signal }) => organization.webhooks.create(body, { signal }),
  }),
  route({
    operationId: "getWebhook",
    summary: "Read a webhook",
    method: "GET",
    path: WEBHOOK,
    ...ADMIN,
    run: (call) => call.organization.webhooks.get(idOf(call), { signal: call.signal }),
  }),
  route({
    operationId: "updateWebhook",
    summary: "Change a webhook, enable or disable it",
    method: "PATCH",
    path: WEBHOOK,
    ...ADMIN,
    body: updateWebhookSchema,
    run: (call) => call.organization.webhooks.update(idOf(call), call.body, { signal: call.signal }),
  }),
  route({
    operationId: "deleteWebhook",
    summary: "Delete a webhook with its deliveries",
    method: "DELETE",
    path: WEBHOOK,
    ...ADMIN,
    run: (call) => call.organization.webhooks.delete(idOf(call), { signal: call.signal }),
  }),
  route({
    operationId: "rotateWebhookSecret",
    summary: "Replace a webhook's secret. For 24 hours, the previous one signs too. Only this response has the new one",
    method: "POST",
    path: `${WEBHOOK}/rotate-secret`,
    access: "admin",
    response: webhookWithSecretSchema,
    run: (call) => call.organization.webhooks.rotateSecret(idOf(call), { signal: call.signal }),
  }),
  route({
    operationId: "pingWebhook",
    summary: "Send a test event",
    method: "POST",
    path: `${WEBHOOK}/ping`,
    access: "admin",
    response: webhookDeliverySchema,
    run: (call) => call.organization.webhooks.ping(idOf(call), { signal: call.signal }),
  }),
  route({
    operationId: "listWebhookDeliveries",
    summary: "List a webhook's deliveries",
    method: "GET",
    path: `${WEBHOOK}/deliveries`,
    access: "admin",
    query: listWebhookDeliveriesSchema,
    response: webhookDeliverySchema,
    list: true,
    run: (call) => call.organization.webhooks.listDeliveries(idOf(call), { ...call.query, signal: call.signal }),
  }),
  route({
    operationId: "getWebhookDelivery",
    summary: "Read a delivery",
    method: "GET",
    path: DELIVERY,
    access: "admin",
    response: webhookDeliverySchema,
    run: (call) => call.organization.webhooks.getDelivery(idOf(call), deliveryIdOf(call), { signal: call.signal }),
  }),
  route({
    operationId: "redeliverWebhook",
    summary: "Send a delivery again",
    method: "POST",
    path: `${DELIVERY}/redeliver`,
    access: "admin",
    response: webhookDeliverySchema,
    run: (call) => call.organization.webhooks.redeliver(idOf(call), deliveryIdOf(call), { signal: call.signal }),
  }),
];
