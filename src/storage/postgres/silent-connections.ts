import type { Socket } from "node:net";
import type { ClientBase, Pool } from "pg";

/** How long to look for an answer that has arrived and was not read, by a process that was suspended or computed. */
const READ_MS = 1000;
/** A statement may take this long without an answer although the server answers others. */
const MIN_LOST_MS = 5000;

/**
 * Closes connections that are lost: a network that was cut and a server that is suspended close none, so statements would
 * wait for minutes or for ever. Closed, they fail like those of a broken connection.
 */
export class SilentConnections {
  readonly #silenceMs: number | null;
  /** Each connection, open or being opened, and whether it has been taken from its pool. */
  readonly #clients = new Map<ClientBase, boolean>();
  /** What had been received on each connection when {@link suspect} was called first; `null` before. */
  #suspected: { readonly since: number; readonly received: ReadonlyMap<ClientBase, number> } | null = null;

  /** @param silenceMs A connection in use on which nothing is sent or received for so long is closed; `null` for none */
  constructor(silenceMs: number | null) {
    this.#silenceMs = silenceMs;
  }

  /** Watches a connection that is about to be opened. */
  add(client: ClientBase): void {
    this.#clients.set(client, false);
    client.once("end", () => this.#clients.delete(client));
  }

  /** Watches the use of a pool's connections. */
  watch(pool: Pool): void {
    pool.on("connect", (client) => this.#closeAfterSilence(client));
    pool.on("acquire", (client) => {
      this.#clients.set(client, true);
      socketOf(client).setTimeout(this.#silenceMs ?? 0);
    });
    pool.on("release", (_, client) => {
      if (this.#clients.has(client)) this.#clients.set(client, false);
      socketOf(client).setTimeout(0);
    });
  }

  /** Notes that the server did not answer on another connection. */
  suspect(): void {
    const received = new Map([...this.#clients.keys()].map((client) => [client, socketOf(client).bytesRead]));
    this.#suspected ??= { since: performance.now(), received };
  }

  /** Notes that the server answers on a new connection: those that were silent since it did not are closed. */
  closeSuspected(): void {
    if (!this.#suspected) return;
    const { since, received } = this.#suspected;
    this.#suspected = null;
    const silenceMs = performance.now() - since;
    for (const [client, bytes] of received) {
      const isLost = !this.#clients.get(client) || silenceMs >= MIN_LOST_MS;
      if (isLost && socketOf(client).bytesRead === bytes) closeSilent(client, silenceMs);
    }
  }

  #closeAfterSilence(client: ClientBase): void {
    const silenceMs = this.#silenceMs;
    if (silenceMs === null) return;
    const socket = socketOf(client);
    socket.on("timeout", () => {
      const { bytesRead } = socket;
      setTimeout(() => {
        if (this.#clients.get(client) && socket.bytesRead === bytesRead) closeSilent(client, silenceMs);
      }, READ_MS).unref();
    });
  }
}

/** Closes the connection of a client at once: its statements fail, and the pool replaces it. */
export function closeSilent(client: ClientBase, silenceMs: number): void {
  const error = new Error(`PostgreSQL has not answered within ${Math.round(silenceMs / 1000)} s.`);
  socketOf(client).destroy(error);
}

/** The socket, which the types of the package pg don't show. */
function socketOf(client: ClientBase): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
