export type { WebhookEventType } from "../types.js";
export type { WebhookDocument, WebhookEvent, WebhookIngestJob } from "./event.js";
export { type VerifyWebhookOptions, verifyWebhook, type WebhookHeaders } from "./verify.js";
