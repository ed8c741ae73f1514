import { WEBHOOK_EVENT_TYPES } from "../types.js";
import { z } from "../vendor/zod.js";
import { checkPosition, listShape } from "./list-schema.js";
import { strict } from "./strict.js";

export const WEBHOOK_DELIVERY_STATUSES = ["PENDING", "DELIVERED", "DEAD"] as const;

/** Whether the host is public is checked where the option that allows private hosts is known. */
const urlSchema = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .max(2048)
  .refine((url) => !hasCredentials(url), "must not contain credentials: requests are signed instead");
const descriptionSchema = z.string().min(1).max(256).nullable();
const eventTypesSchema = z.array(z.enum(WEBHOOK_EVENT_TYPES)).max(WEBHOOK_EVENT_TYPES.length);

export const createWebhookSchema = strict({
  url: urlSchema,
  description: descriptionSchema.default(null),
  eventTypes: eventTypesSchema.default([]),
});

export const updateWebhookSchema = strict({
  url: urlSchema.optional(),
  description: descriptionSchema.optional(),
  eventTypes: eventTypesSchema.optional(),
  enabled: z.boolean().optional(),
});

export const listWebhookDeliveriesSchema = strict({
  ...listShape,
  status: z.enum(WEBHOOK_DELIVERY_STATUSES).optional(),
}).superRefine(checkPosition);

function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}
