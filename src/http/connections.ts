import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** How long idle connections stay open after `close`, for requests that are already in transit. */
const LINGER_MS = 200;
/** How long running requests may take to finish after `close`. */
const GRACE_MS = 10_000;

/** Tracks a server's connections, so that it can stop without interrupting running requests. */
export class Connections {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #running = new Set<ServerResponse>();
  #stage: "open" | "lingering" | "ending" = "open";

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    // Runs before the listener that responds, since that may send the headers at once.
    server.prependListener("request", (_request, response) => this.#track(response));
  }

  /** Stops accepting connections. Resolves once the last connection is closed. */
  async close(): Promise<void> {
    this.#stage = "lingering";
    for (const response of this.#running) announceClose(response);
    const lingerTimer = setTimeout(() => {
      this.#stage = "ending";
      this.#closeIdle();
    }, LINGER_MS);
    const graceTimer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, GRACE_MS);
    // Only stops listening. `close` of an HTTP server would also close idle connections and lose requests in transit.
    await new Promise<unknown>((resolve) => NetServer.prototype.close.call(this.#server, resolve));
    clearTimeout(lingerTimer);
    clearTimeout(graceTimer);
    // Clears the interval at which Node checks the connections.
    this.#server.close();
  }

  #track(response: ServerResponse): void {
    this.#running.add(response);
    response.once("close", () => {
      this.#running.delete(response);
      if (this.#stage === "ending") this.#closeIdle();
    });
    if (this.#stage !== "open") announceClose(response);
  }

  #closeIdle(): void {
    const busySockets = new Set([...this.#running].map(({ socket }) => socket));
    for (const socket of this.#sockets) if (!busySockets.has(socket)) socket.destroySoon();
  }
}

/** Tells the client to send no more requests on this connection. */
function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}
