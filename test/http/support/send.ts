import { Agent, type IncomingMessage, request } from "node:http";

export interface Sent {
  readonly method?: string;
  /** Sent without normalisation. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly bytes: Buffer;
}

/** Maximum time of any request. */
const DEADLINE_MS = 10_000;
const agent = new Agent({ keepAlive: true });

/** Sends requests that `fetch` would change: paths with dots, repeated headers, bodies with GET. */
export function send(url: string, { method = "GET", path, headers = {}, body }: Sent): Promise<Received> {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  const signal = AbortSignal.timeout(DEADLINE_MS);
  return new Promise((resolve, reject) => {
    const call = request({
      ...{ hostname, port, method, path, agent, signal },
      headers: { ...length, ...headers } as Record<string, string>,
    });
    call.once("error", reject);
    call.once("response", (response) => {
      received(response).then(resolve, reject);
    });
    call.end(body);
  });
}

async function received(response: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  const bytes = Buffer.concat(parts);
  return { status: response.statusCode!, headers: response.headers, text: bytes.toString(), bytes };
}

/** The headers of a JSON request with a key. */
export function authorized(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, "content-type": "application/json" };
}
