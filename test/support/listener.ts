import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Listener {
  readonly port: number;
  /** Connections that it accepted. */
  readonly hits: number;
}

/** An HTTP server on 127.0.0.1 (or another address of this machine) that counts who connects; it ends with its test. */
export async function listener(
  respond: RequestListener = (_, out) => out.end("inside"),
  host = "127.0.0.1",
): Promise<Listener> {
  const server = createServer(respond);
  let hits = 0;
  server.on("connection", () => hits++);
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return {
    port: (server.address() as AddressInfo).port,
    get hits() {
      return hits;
    },
  };
}
