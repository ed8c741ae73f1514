import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Handler } from "./create-handler.js";

/**
 * A listener for `node:http`, and for what takes one: Express (`app.use("/kb", listener)`), Connect, Fastify's raw objects. It may stand
 * behind a body parser; uploads must not, whose bytes a parser changes.
 *
 * @example
 * createServer(toNodeHandler(createHandler(kb))).listen(3000, "127.0.0.1");
 */
export function toNodeHandler(handler: Handler): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  // The process's own Request and Response stay as they are: we are a guest in it.
  const listener = getRequestListener((request) => handler(request), { overrideGlobalObjects: false });
  return async (request, response) => {
    restoreBody(request);
    escapeBackslashes(request);
    response.once("finish", () => discardRest(request));
    await listener(request, response);
  };
}

/** What a parser has read before us (`express.json()`) is put back in the place where the listener looks for it. */
function restoreBody(request: IncomingMessage & { body?: unknown; rawBody?: Buffer }): void {
  if (!request.readableDidRead || request.rawBody) return;
  const { body } = request;
  if (Buffer.isBuffer(body)) request.rawBody = body;
  else request.rawBody = Buffer.from(typeof body === "string" ? body : JSON.stringify(body ?? {}));
}

/** The listener answers for a path with a backslash itself, without the envelope; escaped, it is a character like any other. */
function escapeBackslashes(request: IncomingMessage): void {
  request.url = request.url?.replaceAll("\\", "%5C");
}

/** What an answer didn't wait for stands in the way of the connection's next request: whoever began to read has stopped the flow. */
function discardRest(request: IncomingMessage): void {
  if (request.readableEnded) return;
  request.removeAllListeners("data");
  request.resume();
}
