import type { Status, WebhookEventType } from "../types.js";

interface EventOwner {
  readonly status: Status;
  /** Why it failed; `null` if it didn't. */
  readonly error: string | null;
  readonly organizationId: string;
  readonly namespaceId: string;
  /** `null` in the default partition. */
  readonly tenantId: string | null;
}

/** A document when its event was recorded. */
export interface WebhookDocument extends EventOwner {
  readonly id: string;
  readonly name: string | null;
  readonly ingestJobId: string;
}

/** An ingest job when its event was recorded. */
export interface WebhookIngestJob extends EventOwner {
  readonly id: string;
  readonly name: string | null;
  readonly externalId: string | null;
}

/** The body of a webhook's request. */
export type WebhookEvent =
  | {
      readonly type: Extract<WebhookEventType, `document.${string}`>;
      /** When it happened, ISO 8601. */
      readonly timestamp: string;
      readonly data: WebhookDocument;
    }
  | {
      readonly type: Extract<WebhookEventType, `ingest_job.${string}`>;
      readonly timestamp: string;
      readonly data: WebhookIngestJob;
    }
  | {
      /** A test, sent on request whatever types the webhook is for. */
      readonly type: "webhook.ping";
      readonly timestamp: string;
      /** The webhook. */
      readonly data: { readonly id: string; readonly organizationId: string };
    };
