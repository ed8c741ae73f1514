import { type GuardedConnectorOptions, guardedConnector } from "./guarded-connector.js";
import type { Hop } from "./redirect.js";

export interface TransportOptions extends Omit<GuardedConnectorOptions, "connect"> {
  /** Connection timeout in milliseconds. */
  readonly connectMs: number;
}

/** Sends single requests over pooled connections. */
export interface Transport {
  /** Sends a request without following redirects. */
  send(hop: Hop, signal: AbortSignal): Promise<Response>;
  close(): Promise<void>;
}

/** Loads the HTTP client and creates a transport. */
export async function createTransport({ connectMs, ...guard }: TransportOptions): Promise<Transport> {
  const { Agent, buildConnector, fetch } = await import("undici");
  const dispatcher = new Agent({
    connect: guardedConnector({ ...guard, connect: (lookup) => buildConnector({ timeout: connectMs, lookup }) }),
    // Timeouts are enforced per call.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async send({ url, method, headers, body }, signal) {
      const result = await fetch(url, { method, headers: [...headers], body, signal, redirect: "manual", dispatcher });
      return result as unknown as Response;
    },
    close: () => dispatcher.destroy(),
  };
}
