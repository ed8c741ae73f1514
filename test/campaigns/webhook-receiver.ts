import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { verifyWebhook } from "lorebase/webhooks";
import type { Random } from "./random.js";

const FAILURE_SHARE = 0.2;
const MAX_WORK_MS = 20;

/** A receiver of a campaign: fails at random, and notes what it has accepted and what should not have happened. */
export class CampaignReceiver {
  readonly #server: Server;
  readonly #random: Random;
  /** The requests under way, by subject. */
  readonly #open = new Map<string, IncomingMessage>();
  /** The accepted messages of each subject, in the order of their first acceptance. */
  readonly accepted = new Map<string, string[]>();
  readonly faults: string[] = [];
  requests = 0;
  failures = 0;
  repetitions = 0;
  isDown = false;
  secret = "";

  constructor(random: Random) {
    this.#random = random;
    this.#server = createServer((request, response) => void this.#receive(request, response));
  }

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part);
    } catch {
      // The sender was killed in the midst of its request.
      return;
    }
    if (this.isDown) return this.#fail(request);
    const event = this.#verified(request, Buffer.concat(parts));
    if (event === null) return this.#fail(request);
    const subject = event.data.id;
    if (this.#open.has(subject)) this.faults.push(`concurrent: two requests about ${subject}`);
    this.#open.set(subject, request);
    const end = () => this.#open.get(subject) === request && this.#open.delete(subject);
    response.once("close", end);
    await new Promise((resolve) => setTimeout(resolve, this.#random.integer(0, MAX_WORK_MS)));
    end();
    if (this.#random.next() < FAILURE_SHARE) return this.#fail(request, response);
    this.#accept(String(request.headers["webhook-id"]), subject);
    response.writeHead(204).end();
  }

  #verified(request: IncomingMessage, body: Buffer) {
    // The campaign's clock is ahead of this one.
    const now = new Date(Number(request.headers["webhook-timestamp"]) * 1000);
    try {
      return verifyWebhook(request.headers, body, this.secret, { now });
    } catch (error) {
      this.faults.push(`forged: ${error}`);
      return null;
    }
  }

  #accept(id: string, subject: string): void {
    const accepted = this.accepted.get(subject) ?? [];
    if (accepted.includes(id)) this.repetitions++;
    else this.accepted.set(subject, [...accepted, id]);
  }

  #fail(request: IncomingMessage, response?: ServerResponse): void {
    this.failures++;
    if (response && this.#random.next() < 0.5) response.writeHead(this.#random.pick([500, 429, 302])).end();
    else request.socket.destroy();
  }
}
