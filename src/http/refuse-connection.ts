import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorResponse, HttpError } from "./errors.js";

/** What of Node's refusals a client can act on, by its code (nodejs.org/api/http.html#event-clienterror). */
const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The headers are larger than the 16 KiB that are read.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time.",
};

/** Answers what is no HTTP request, which Node refuses before any handler hears of it, with the same envelope as every other failure. */
export function refuseConnections(server: Server): void {
  const answering = new WeakSet<object>();
  server.prependListener("request", ({ socket }, response: ServerResponse) => {
    answering.add(socket);
    response.once("close", () => answering.delete(socket));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // In the middle of another answer, or with nobody there, it would be read as something else.
    if (!socket.writable || answering.has(socket)) socket.destroy();
    else void refuse(socket as Socket, REASONS[error.code ?? ""] ?? "This is no HTTP request that can be read.");
  });
}

async function refuse(socket: Socket, message: string): Promise<void> {
  const body = await errorResponse(new HttpError(400, message), "").text();
  const head = [
    "HTTP/1.1 400 Bad Request",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
