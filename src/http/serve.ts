import type { KnowledgeBase } from "../index.js";
import { unlimitedListeners } from "../util/unlimited-listeners.js";
import { createRouteHandler } from "./create-handler.js";
import { endEventStream } from "./end-event-stream.js";
import { toNodeHandler } from "./node.js";
import type { HandlerOptions } from "./options.js";
import { ROUTES } from "./routes/index.js";
import { landingRoute } from "./routes/landing.js";
import { startServer } from "./start-server.js";

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

/**
 * Serves the HTTP API with `node:http`. Resolves once the server listens.
 * @throws KnowledgeBaseError `conflict` if the port is taken, `forbidden` if this user may not listen on it,
 * `invalid_input` for any other host or port that can't be used
 */
export async function serve(kb: KnowledgeBase, options: ServeOptions = {}): Promise<RunningServer> {
  const { port = 3000, host = "127.0.0.1", landingPage = false, ...handlerOptions } = options;
  const stop = new AbortController();
  // Every event stream adds a listener.
  unlimitedListeners(stop.signal);
  const handler = createRouteHandler(kb, handlerOptions, landingPage ? [...ROUTES, landingRoute] : ROUTES);
  const listener = toNodeHandler(async (request) => endEventStream(await handler(request), { signal: stop.signal }));
  const server = await startServer((request, response) => void listener(request, response), { port, host });
  let closed: Promise<void> | null = null;
  return {
    url: `${server.url}${handlerOptions.basePath ?? ""}`,
    close: () => {
      stop.abort();
      closed ??= server.close();
      return closed;
    },
  };
}
