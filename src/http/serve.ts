import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type ErrorCode, KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase } from "../index.js";
import { unlimitedListeners } from "../util/unlimited-listeners.js";
import { Connections } from "./connections.js";
import { createRouteHandler } from "./create-handler.js";
import { endEventStream } from "./end-event-stream.js";
import { toNodeHandler } from "./node.js";
import type { HandlerOptions } from "./options.js";
import { respondToInvalidHttp } from "./respond-to-invalid-http.js";
import { ROUTES } from "./routes/index.js";
import { landingRoute } from "./routes/landing.js";

export interface ServeOptions extends HandlerOptions {
  /** The port to listen on; 0 chooses a free port. @default 3000 */
  readonly port?: number | undefined;
  /** The address to listen on. @default "127.0.0.1": only this machine can connect */
  readonly host?: string | undefined;
  /**
   * Whether to serve a public page, at `/` and at the base path. The page has the URLs of the API and of its OpenAPI
   * document, and explains how to authenticate. With `Accept: application/json`, it is JSON.
   * @default false: these paths answer 401 without a key and 404 with one
   */
  readonly landingPage?: boolean | undefined;
}

export interface RunningServer {
  /** The base URL of the API, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /**
   * Stops accepting connections, ends event streams and waits up to ten seconds for other requests. The knowledge base
   * stays open. Can be called more than once.
   */
  close(): Promise<void>;
}

/** The maximum time for the headers, since some clients send them byte by byte to exhaust connections. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The maximum time for a whole request. Uploads may be up to 200 MB; JSON bodies have a shorter limit. */
const REQUEST_TIMEOUT_MS = 600_000;
/** How often Node checks these timeouts; its default is 30 seconds. */
const TIMEOUT_CHECK_INTERVAL_MS = 1000;

const LISTEN_ERRORS: Readonly<Record<string, readonly [code: ErrorCode, reason: string]>> = {
  EADDRINUSE: ["conflict", "is in use: choose another one, or 0 for a free one"],
  EACCES: ["forbidden", "is not allowed for this user: choose one above 1023"],
};

/**
 * Serves the HTTP API with `node:http`. Resolves once the server listens.
 * @throws KnowledgeBaseError `conflict` if the port is taken, `forbidden` if this user may not listen on it,
 * `invalid_input` for any other host or port that can't be used
 */
export async function serve(kb: KnowledgeBase, options: ServeOptions = {}): Promise<RunningServer> {
  const { port = 3000, host = "127.0.0.1", landingPage = false, ...handlerOptions } = options;
  const timeouts = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
  };
  const stop = new AbortController();
  // Every event stream adds a listener.
  unlimitedListeners(stop.signal);
  const handler = createRouteHandler(kb, handlerOptions, landingPage ? [...ROUTES, landingRoute] : ROUTES);
  const listener = toNodeHandler(async (request) => endEventStream(await handler(request), { signal: stop.signal }));
  const server = createServer(timeouts, listener);
  const connections = new Connections(server);
  respondToInvalidHttp(server);
  await listen(server, port, host);
  let closed: Promise<void> | null = null;
  return {
    url: `${serverUrl(server)}${handlerOptions.basePath ?? ""}`,
    close: () => {
      stop.abort();
      closed ??= connections.close();
      return closed;
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    const [code, reason] = LISTEN_ERRORS[cause.code ?? ""] ?? ["invalid_input", `cannot be used (${cause.code})`];
    throw new KnowledgeBaseError(code, `Port ${port} of ${host} ${reason}.`, { cause });
  });
}

function serverUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
