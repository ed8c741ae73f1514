import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** How long a request that is under way to us may take on a connection that has none. */
const LINGER_MS = 200;
/** How long a request that runs may take to its end. */
const GRACE_MS = 10_000;

/** The connections of a server, so that it can stop without cutting off what it has begun to answer. */
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
    // Before the one that answers, which may send the headers at once.
    server.prependListener("request", (_request, response) => this.#begin(response));
  }

  /** Resolves once the last connection has ended. */
  async close(): Promise<void> {
    this.#stage = "lingering";
    for (const response of this.#running) announceEnd(response);
    const linger = setTimeout(() => {
      this.#stage = "ending";
      this.#endIdle();
    }, LINGER_MS);
    const grace = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, GRACE_MS);
    // Only stops listening. The close of an HTTP server would also end idle connections, with the requests that are on their way.
    await new Promise<unknown>((resolve) => NetServer.prototype.close.call(this.#server, resolve));
    clearTimeout(linger);
    clearTimeout(grace);
    // Ends the timer with which it has watched its connections.
    this.#server.close();
  }

  #begin(response: ServerResponse): void {
    this.#running.add(response);
    response.once("close", () => {
      this.#running.delete(response);
      if (this.#stage === "ending") this.#endIdle();
    });
    if (this.#stage !== "open") announceEnd(response);
  }

  #endIdle(): void {
    const busy = new Set([...this.#running].map(({ socket }) => socket));
    for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroySoon();
  }
}

/** Tells the client not to send another request on this connection. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}
