import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type ErrorCode, KnowledgeBaseError } from "../errors.js";
import { Connections } from "./connections.js";
import { respondToInvalidHttp } from "./respond-to-invalid-http.js";

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

interface StartedServer {
  /** The address, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Stops accepting connections, and waits up to ten seconds for requests. */
  close(): Promise<void>;
}

/**
 * Starts a server of `node:http`. Resolves once it listens.
 * @throws KnowledgeBaseError `conflict` if the port is taken, `forbidden` if this user may not listen on it,
 * `invalid_input` for any other host or port that can't be used
 */
export async function startServer(
  listener: RequestListener,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<StartedServer> {
  const timeouts = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
  };
  const server = createServer(timeouts, listener);
  const connections = new Connections(server);
  respondToInvalidHttp(server);
  await listen(server, port, host);
  return { url: serverUrl(server), close: () => connections.close() };
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
