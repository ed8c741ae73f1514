import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { WebhookEvent } from "lorebase/webhooks";
import { type Listener, listener } from "./listener.js";

/** A request that the receiver has answered. */
export interface ReceivedRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: WebhookEvent;
  readonly answer: number | "cut";
}

export interface WebhookReceiver {
  readonly url: string;
  /** In the order of their arrival. */
  readonly requests: readonly ReceivedRequest[];
  /** The types of the events that it has accepted, by subject, without repetitions of a message. */
  accepted(subject?: string): readonly string[];
  /** The status with which it answers, or "cut" to close the connection. With 503 it asks for a wait of 20 minutes. */
  answer: (request: Pick<ReceivedRequest, "event">) => number | "cut";
}

/** A receiver on 127.0.0.1, which accepts every request at first. */
export async function webhookReceiver(): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const receiver = { answer: (() => 204) as WebhookReceiver["answer"] };
  const server: Listener = await listener(async (request, response) => {
    const body = await readAll(request);
    const event = JSON.parse(body) as WebhookEvent;
    const answer = receiver.answer({ event });
    const { headers } = request;
    requests.push({ id: String(headers["webhook-id"]), headers, body, event, answer });
    if (answer === "cut") request.socket.destroy();
    else response.writeHead(answer, answer === 503 ? { "retry-after": "1200" } : {}).end();
  });
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${server.port}/hook?token=1`,
    requests,
    accepted(subject?: string) {
      const known = new Set<string>();
      return requests.flatMap(({ id, event, answer }) => {
        const isNew = answer !== "cut" && answer < 300 && !known.has(id);
        if (!isNew || (subject !== undefined && event.data.id !== subject)) return [];
        known.add(id);
        return [event.type];
      });
    },
  });
}

async function readAll(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
