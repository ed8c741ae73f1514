import type { KnowledgeBase } from "../index.js";
import { errorResponse, HttpError, toHttpError } from "./errors.js";
import { toNodeHandler } from "./node.js";
import { answerHealth, answerMetrics, answerReady } from "./probes.js";
import type { RunningServer } from "./serve.js";
import { startServer } from "./start-server.js";

export interface ServeMetricsOptions {
  /** The port to listen on; 0 chooses a free one. @default 9464 */
  readonly port?: number | undefined;
  /** The address to listen on. @default "127.0.0.1": only this machine can connect */
  readonly host?: string | undefined;
  /** Called for each request that failed, with the cause. @default console.error */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Serves `/metrics`, `/healthz` and `/readyz` without a key, on a port that only the monitoring system should reach.
 * For processes without another server, such as workers, too. The knowledge base needs the option `metrics`.
 * @throws KnowledgeBaseError `conflict` if the port is taken, `forbidden` if this user may not listen on it,
 * `invalid_input` for any other host or port that can't be used
 * @example
 * const kb = new KnowledgeBase({ directory: "./kb", metrics: true });
 * const metrics = await serveMetrics(kb, { port: 9464 });
 */
export async function serveMetrics(kb: KnowledgeBase, options: ServeMetricsOptions = {}): Promise<RunningServer> {
  const { port = 9464, host = "127.0.0.1", onError = (error) => console.error(error) } = options;
  const listener = toNodeHandler(async (request) => {
    try {
      return await answer(kb, request);
    } catch (error) {
      const failure = toHttpError(error);
      if (failure.cause !== undefined) onError(failure.cause);
      return errorResponse(failure, "");
    }
  });
  return startServer((request, response) => void listener(request, response), { port, host });
}

async function answer(kb: KnowledgeBase, { url, method, signal }: Request): Promise<Response> {
  const { pathname } = new URL(url);
  if (method === "GET" || method === "HEAD") {
    if (pathname === "/metrics") return answerMetrics(kb, signal);
    if (pathname === "/healthz") return answerHealth();
    if (pathname === "/readyz") return answerReady(kb, signal);
  }
  throw new HttpError(404, "This port has GET /metrics, /healthz and /readyz.");
}
