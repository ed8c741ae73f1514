import type { Socket } from "node:net";
import type { Pool, PoolClient } from "pg";

/** How long to look for an answer that has arrived and was not read, by a process that was suspended or computed. */
const READ_MS = 1000;

/**
 * Closes connections in use on which nothing was sent or received for a time. A network that was cut and a server that is
 * suspended close none, so statements would wait for minutes or for ever; closed, they fail like those of a broken
 * connection.
 */
export function limitSilence(pool: Pool, silenceMs: number): void {
  pool.on("connect", (client) => {
    const socket = socketOf(client);
    socket.on("timeout", () => {
      const { bytesRead } = socket;
      setTimeout(() => {
        const isInUse = socket.timeout !== undefined && socket.timeout > 0;
        if (isInUse && socket.bytesRead === bytesRead) destroySilent(socket, silenceMs);
      }, READ_MS).unref();
    });
  });
  pool.on("acquire", (client) => void socketOf(client).setTimeout(silenceMs));
  pool.on("release", (_, client) => void socketOf(client as PoolClient).setTimeout(0));
}

/** Closes the connection of a client at once: its statements fail, and the pool replaces it. */
export function closeSilent(client: PoolClient, silenceMs: number): void {
  destroySilent(socketOf(client), silenceMs);
}

function destroySilent(socket: Socket, silenceMs: number): void {
  socket.destroy(new Error(`PostgreSQL has not answered within ${silenceMs / 1000} s.`));
}

/** The socket, which the types of the package pg don't show. */
function socketOf(client: PoolClient): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
