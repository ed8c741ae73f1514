import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { KnowledgeBase } from "../index.js";
import { createHandler } from "./create-handler.js";
import { toNodeHandler } from "./node.js";
import type { HandlerOptions } from "./options.js";

export interface ServeOptions extends HandlerOptions {
  /** 0 takes a free one. @default 3000 */
  readonly port?: number | undefined;
  /** @default "127.0.0.1": nothing but this machine reaches it */
  readonly host?: string | undefined;
}

export interface RunningServer {
  /** As `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Takes no more requests and lets those that run end, for ten seconds at most. The knowledge base stays open. */
  close(): Promise<void>;
}

/** Headers must be there within this time: a client that sends them byte by byte holds nothing for long. */
const HEADERS_TIMEOUT_MS = 10_000;
/** A whole request, of which an upload may be 200 MB; JSON bodies have a shorter limit of their own. */
const REQUEST_TIMEOUT_MS = 600_000;
const CLOSE_GRACE_MS = 10_000;

/** Serves the interface with `node:http`. Resolves once it listens. */
export async function serve(kb: KnowledgeBase, options: ServeOptions = {}): Promise<RunningServer> {
  const { port = 3000, host = "127.0.0.1", ...handlerOptions } = options;
  const timeouts = { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
  const server = createServer(timeouts, toNodeHandler(createHandler(kb, handlerOptions)));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}${handlerOptions.basePath ?? ""}`,
    close: () =>
      new Promise((resolve) => {
        const grace = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
        server.close(() => {
          clearTimeout(grace);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
