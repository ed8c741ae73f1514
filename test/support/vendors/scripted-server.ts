import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request as a vendor's route sees it. */
export interface VendorRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** What `:name` parts of the route stand for. */
  readonly params: Readonly<Record<string, string>>;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** JSON where it is JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: each fake knows the shape of its own vendor's bodies
  readonly body: any;
}

export interface VendorAnswer {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, strings as parts of a stream, anything else as JSON. */
  readonly body?: unknown;
}

export type VendorHandler = (request: VendorRequest) => VendorAnswer | Promise<VendorAnswer>;

/**
 * What becomes of a call instead of its right answer: another answer, the right one changed, a body cut off or of another kind, an answer
 * that never begins (`stall`) or never ends (`stall-in-body`), a connection closed before the answer (`refuse`) or amid it (`reset`).
 */
export type Fault =
  | VendorAnswer
  | ((answer: VendorAnswer) => VendorAnswer)
  | "malformed"
  | "html"
  | "stall"
  | "stall-in-body"
  | "refuse"
  | "reset";

export interface ScriptedServer {
  /** As in `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** Every request that came, in order, those that met a fault included. */
  readonly requests: readonly VendorRequest[];
  /** Most requests that were open at a time. */
  readonly peak: number;
  /** Gives the next calls this fault; faults wait in the order in which they were given. */
  failNext(fault: Fault, calls?: number): void;
  /** Asked for each call that no given fault awaits; undefined lets it be. */
  failWhen(choose: (request: VendorRequest) => Fault | undefined): void;
  close(): Promise<void>;
}

const HTML = { status: 200, headers: { "content-type": "text/html" }, body: "<html><body>Bad gateway</body></html>" };

/** An answer of 429, as vendors send it, with or without `Retry-After`. */
export function tooMany(body: unknown, retryAfter?: string): VendorAnswer {
  return { status: 429, body, ...(retryAfter !== undefined && { headers: { "retry-after": retryAfter } }) };
}

/**
 * A server on 127.0.0.1 that answers by routes such as `"POST /v1/models/:model"` and 404 to everything else. It ends with the test that
 * started it; one that no test started is closed by whoever did.
 */
export async function scriptedServer(routes: Readonly<Record<string, VendorHandler>>): Promise<ScriptedServer> {
  const requests: VendorRequest[] = [];
  const faults: Fault[] = [];
  let choose: (request: VendorRequest) => Fault | undefined = () => undefined;
  let open = 0;
  let peak = 0;
  const compiled = Object.entries(routes).map(([route, handler]) => ({ matches: routeMatcher(route), handler }));

  const server = createServer(async (incoming, response) => {
    peak = Math.max(peak, ++open);
    response.on("close", () => open--);
    const bare = await readRequest(incoming);
    for (const { matches, handler } of compiled) {
      const params = matches(bare.method, bare.path);
      if (!params) continue;
      const request = { ...bare, params };
      requests.push(request);
      return deliver(response, async () => handler(request), faults.shift() ?? choose(request));
    }
    requests.push(bare);
    send(response, { status: 404, body: { error: { message: `no route ${bare.method} ${bare.path}` } } });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const close = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  try {
    onTestFinished(close);
  } catch {
    // Started before the tests of a file: closed after them by whoever started it.
  }
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get peak() {
      return peak;
    },
    failNext: (fault, calls = 1) => void faults.push(...Array<Fault>(calls).fill(fault)),
    failWhen(chooser) {
      choose = chooser;
    },
    close,
  };
}

function routeMatcher(route: string): (method: string, path: string) => Record<string, string> | null {
  const [method, path] = route.split(" ") as [string, string];
  const names: string[] = [];
  const source = path.replace(/[.+*?^$()[\]{}|\\]/g, "\\$&").replace(/(?<=\/):(\w+)/g, (_, name: string) => {
    names.push(name);
    return "([^/:]+)";
  });
  const pattern = new RegExp(`^${source}$`);
  return (given, at) => {
    const found = given === method ? pattern.exec(at) : null;
    return found && Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(found[index + 1]!)]));
  };
}

async function readRequest(incoming: IncomingMessage): Promise<VendorRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString("utf8");
  const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
  return {
    method: incoming.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    params: {},
    headers: incoming.headers as Record<string, string | undefined>,
    body: text !== "" && incoming.headers["content-type"]?.includes("json") ? JSON.parse(text) : text,
  };
}

/** Answers of a vendor that is not in order. What changes or breaks the right answer comes after the work was done; the rest, before. */
async function deliver(response: ServerResponse, right: () => Promise<VendorAnswer>, fault?: Fault): Promise<void> {
  if (fault === "stall") return;
  if (fault === "refuse") response.destroy();
  else if (fault === "html") send(response, HTML);
  else if (typeof fault === "object") send(response, fault);
  else if (fault === "malformed" || fault === "stall-in-body" || fault === "reset")
    cutOff(response, await right(), fault);
  else send(response, fault ? fault(await right()) : await right());
}

function cutOff(response: ServerResponse, right: VendorAnswer, fault: "malformed" | "stall-in-body" | "reset"): void {
  const whole = written(right.body);
  const half = whole.slice(0, Math.ceil(whole.length / 2));
  const length = Buffer.byteLength(fault === "malformed" ? half : whole);
  response.writeHead(200, { "content-type": "application/json", ...right.headers, "content-length": length });
  if (fault === "malformed") response.end(half);
  else response.write(half, () => fault === "reset" && response.destroy());
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: VendorAnswer): void {
  const type = typeof body === "object" && !Array.isArray(body) ? "application/json" : "text/plain";
  response.writeHead(status, { "content-type": type, ...headers });
  for (const part of Array.isArray(body) ? (body as string[]) : [written(body)]) response.write(part);
  response.end();
}

function written(body: unknown): string {
  if (body === undefined) return "";
  if (Array.isArray(body)) return body.join("");
  return typeof body === "string" ? body : JSON.stringify(body);
}
