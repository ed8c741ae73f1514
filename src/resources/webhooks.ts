import { newId } from "../domain/ids.js";
import type { Engine, EngineOpener } from "../engine/engine.js";
import { checkPublicUrl } from "../net/check-public-url.js";
import { fetchPage, iteratePages } from "../storage/pagination.js";
import { SECRET_FIELDS, type WebhookSecret } from "../storage/records/webhooks.js";
import type { CallOptions, ListPage, WebhookEventType } from "../types.js";
import { listSchema } from "../validation/list-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { createWebhookSchema, listWebhookDeliveriesSchema, updateWebhookSchema } from "../validation/webhook-schema.js";
import { newWebhookSecret, webhookSecretContext } from "../webhooks/secret.js";
import type { IterateOptions, ListOptions } from "./namespaces.js";
import { toWebhook, toWebhookDelivery, type Webhook, type WebhookDelivery } from "./webhook-records.js";

/** The number of webhooks that an organization may have. */
const MAX_WEBHOOKS = 20;
/** How long a replaced secret still signs, so that receivers have time to learn the new one. */
const PREVIOUS_SECRET_MS = 24 * 60 * 60_000;

export interface CreateWebhookInput {
  /** An http or https URL with a public host, or one that the option `network.allowPrivateHosts` allows. */
  readonly url: string;
  /** At most 256 characters. @default null */
  readonly description?: string | null | undefined;
  /** The events to send; an empty list means all. @default [] */
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
}

export interface WebhookPatch {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
  /** Nothing is sent and no events are recorded while it is false. Pending deliveries continue when it is true again. */
  readonly enabled?: boolean | undefined;
}

export interface ListWebhookDeliveriesOptions extends ListOptions {
  /** Lists only deliveries with this status. @default all */
  readonly status?: WebhookDelivery["status"] | undefined;
}

/**
 * URLs of one organization that are told of changes of its documents and ingest jobs, by signed requests as the Standard
 * Webhooks specification describes them. An organization may have 20.
 */
export class Webhooks {
  readonly #open: EngineOpener;
  readonly #organizationId: string;

  /** @internal */
  constructor(open: EngineOpener, organizationId: string) {
    this.#open = open;
    this.#organizationId = organizationId;
  }

  /**
   * Creates a webhook. It is told of changes from now on. The secret that signs its requests is only in this result, as
   * `secret`: `whsec_` and 32 random bytes in base64.
   * @throws KnowledgeBaseError `invalid_input`, `limit_exceeded` if the organization has 20 webhooks
   * @example
   * const { secret } = await kb.webhooks.create({
   *   url: "https://example.com/hooks",
   *   eventTypes: ["document.completed", "document.failed"],
   * });
   */
  async create(input: CreateWebhookInput, options: CallOptions = {}): Promise<Webhook & { readonly secret: string }> {
    const { url, description, eventTypes } = parseInput(createWebhookSchema, input);
    const engine = await this.#open(options.signal);
    checkPublicUrl(url, "url", engine.options.network.allowPrivateHosts);
    const secret = newWebhookSecret();
    const webhook = {
      id: newId("wh"),
      organizationId: this.#organizationId,
      url,
      description,
      eventTypes: JSON.stringify(eventTypes),
      createdAt: engine.now(),
    };
    const sealed = this.#seal(engine, webhook.id, SECRET_FIELDS.current, secret);
    await engine.storage.webhooks.create({ webhook, secret: sealed, limit: MAX_WEBHOOKS });
    const { id: webhookId } = webhook;
    return { ...toWebhook(await engine.storage.webhooks.get(this.#ref(webhookId))), secret };
  }

  /** @throws KnowledgeBaseError `not_found` */
  async get(id: string, options: CallOptions = {}): Promise<Webhook> {
    const { storage } = await this.#open(options.signal);
    return toWebhook(await storage.webhooks.get(this.#ref(id)));
  }

  async list(options: ListOptions = {}): Promise<ListPage<Webhook>> {
    const { signal, ...input } = options;
    const request = parseInput(listSchema, input);
    const { storage } = await this.#open(signal);
    const organizationId = this.#organizationId;
    return fetchPage("webhooks", request, (range) => storage.webhooks.list({ organizationId, range }), toWebhook);
  }

  /** Iterates over all webhooks, fetching one page at a time. */
  iterate(options: IterateOptions<ListOptions> = {}): AsyncIterable<Webhook> {
    return iteratePages((cursor) => this.list({ ...options, cursor }));
  }

  /** Changes the given fields, and returns the webhook. @throws KnowledgeBaseError `not_found`, `invalid_input` */
  async update(id: string, patch: WebhookPatch, options: CallOptions = {}): Promise<Webhook> {
    const { enabled, eventTypes, ...fields } = parseInput(updateWebhookSchema, patch);
    const engine = await this.#open(options.signal);
    if (fields.url !== undefined) checkPublicUrl(fields.url, "url", engine.options.network.allowPrivateHosts);
    const { webhooks } = engine.storage;
    const ref = this.#ref(id);
    await webhooks.update({
      ...ref,
      patch: { ...fields, ...(eventTypes && { eventTypes: JSON.stringify(eventTypes) }) },
    });
    if (enabled === true) await webhooks.enable({ ...ref, now: engine.now() });
    if (enabled === false) await webhooks.disable({ ...ref, now: engine.now(), reason: null });
    engine.events.emitWorkAdded();
    return this.get(id);
  }

  /** Deletes a webhook with its deliveries, and returns it. @throws KnowledgeBaseError `not_found` */
  async delete(id: string, options: CallOptions = {}): Promise<Webhook> {
    const engine = await this.#open(options.signal);
    const { webhooks } = engine.storage;
    const webhook = await webhooks.get(this.#ref(id));
    await webhooks.disable({ webhookId: id, now: engine.now(), reason: null });
    while (await webhooks.purge({ webhookId: id })) options.signal?.throwIfAborted();
    await webhooks.delete({ webhookId: id });
    return toWebhook(webhook);
  }

  /**
   * Replaces the secret of a webhook. For 24 hours, requests are signed with both; the one before is no longer used. The
   * new secret is only in this result.
   * @throws KnowledgeBaseError `not_found`, `conflict` if another call replaces it at the same time
   */
  async rotateSecret(id: string, options: CallOptions = {}): Promise<Webhook & { readonly secret: string }> {
    const engine = await this.#open(options.signal);
    const { webhooks } = engine.storage;
    const replaced = await webhooks.getSecret(this.#ref(id));
    const current = engine.secrets.unseal(replaced, this.#secretContext(id, SECRET_FIELDS.current));
    const secret = newWebhookSecret();
    await webhooks.replaceSecret({
      webhookId: id,
      replaced,
      secret: this.#seal(engine, id, SECRET_FIELDS.current, secret),
      previous: {
        ...this.#seal(engine, id, SECRET_FIELDS.previous, current),
        expiresAt: engine.now() + PREVIOUS_SECRET_MS,
      },
    });
    return { ...(await this.get(id)), secret };
  }

  /**
   * Queues a test event, of the type `webhook.ping`, and returns its delivery.
   * @throws KnowledgeBaseError `not_found`, `conflict` if the webhook is disabled
   */
  async ping(id: string, options: CallOptions = {}): Promise<WebhookDelivery> {
    const engine = await this.#open(options.signal);
    const deliveryId = await engine.storage.webhooks.ping({ ...this.#ref(id), now: engine.now() });
    engine.events.emitWorkAdded();
    return this.getDelivery(id, deliveryId);
  }

  /** @throws KnowledgeBaseError `not_found` */
  async getDelivery(id: string, deliveryId: string, options: CallOptions = {}): Promise<WebhookDelivery> {
    const { storage } = await this.#open(options.signal);
    return toWebhookDelivery(await storage.webhooks.getDelivery({ ...this.#ref(id), deliveryId }));
  }

  /** @throws KnowledgeBaseError `not_found` for the webhook */
  async listDeliveries(id: string, options: ListWebhookDeliveriesOptions = {}): Promise<ListPage<WebhookDelivery>> {
    const { signal, ...input } = options;
    const { status, ...request } = parseInput(listWebhookDeliveriesSchema, input);
    const { storage } = await this.#open(signal);
    return fetchPage(
      `deliveries of ${id}`,
      request,
      (range) => storage.webhooks.listDeliveries({ ...this.#ref(id), status, range }),
      toWebhookDelivery,
    );
  }

  /** Iterates over all deliveries, fetching one page at a time. */
  iterateDeliveries(
    id: string,
    options: IterateOptions<ListWebhookDeliveriesOptions> = {},
  ): AsyncIterable<WebhookDelivery> {
    return iteratePages((cursor) => this.listDeliveries(id, { ...options, cursor }));
  }

  /**
   * Sends a delivery again that has ended, with ten new attempts, and returns it. It is sent at once, also while a later
   * delivery of its document or job waits for a retry. A delivery that itself waits for a retry is tried at once; one
   * that waits for an earlier delivery goes on waiting.
   * @throws KnowledgeBaseError `not_found`, `conflict` if the webhook is disabled
   */
  async redeliver(id: string, deliveryId: string, options: CallOptions = {}): Promise<WebhookDelivery> {
    const engine = await this.#open(options.signal);
    await engine.storage.webhooks.redeliver({ ...this.#ref(id), deliveryId, now: engine.now() });
    engine.events.emitWorkAdded();
    return this.getDelivery(id, deliveryId);
  }

  #ref(webhookId: string) {
    return { organizationId: this.#organizationId, webhookId };
  }

  #secretContext(webhookId: string, field: string) {
    return webhookSecretContext(this.#ref(webhookId), field);
  }

  #seal({ secrets }: Engine, webhookId: string, field: string, secret: string): WebhookSecret {
    return { keyId: secrets.keyId, sealed: secrets.seal(secret, this.#secretContext(webhookId, field)) };
  }
}
