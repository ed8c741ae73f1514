import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { errorResponse, HttpError } from "./errors.js";

/** Messages for the errors of Node that a client can fix (nodejs.org/api/http.html#event-clienterror). */
const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The headers are larger than 16 KiB.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time.",
};

/** Responds to invalid HTTP, which Node rejects before any handler is called, with the usual error envelope. */
export function respondToInvalidHttp(server: Server): void {
  const busySockets = new WeakSet<object>();
  server.prependListener("request", ({ socket }, response: ServerResponse) => {
    busySockets.add(socket);
    response.once("close", () => busySockets.delete(socket));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // During another response, the client would mistake the error for a part of it.
    if (!socket.writable || busySockets.has(socket)) socket.destroy();
    else void respond(socket as Socket, MESSAGES[error.code ?? ""] ?? "This is not a valid HTTP request.");
  });
}

async function respond(socket: Socket, message: string): Promise<void> {
  const body = await errorResponse(new HttpError(400, message), "").text();
  const head = [
    "HTTP/1.1 400 Bad Request",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
