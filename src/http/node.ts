import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { attachAddress } from "./client-address.js";
import type { Handler } from "./create-handler.js";
import { errorResponse, HttpError, toHttpError } from "./errors.js";
import { getResponseText } from "./json-response.js";
import { attachBody } from "./message-body.js";

/**
 * Adapts a handler to `node:http` and to frameworks that accept its listeners: Express (`app.use("/kb", listener)`),
 * Connect and Fastify's raw objects. The listener never rejects. It works after a body parser, except for uploads,
 * whose bytes a parser changes.
 *
 * @example
 * import { createServer } from "node:http";
 *
 * createServer(toNodeHandler(createHandler(kb))).listen(3000, "127.0.0.1");
 */
export function toNodeHandler(handler: Handler): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const message = incoming as IncomingMessage;
      const response = await handler(attachAddress(attachBody(request, message), message.socket.remoteAddress));
      const text = getResponseText(response);
      if (text !== null) return sendText(response, text, outgoing as ServerResponse);
      if (!response.body) return response;
      return new Response(destroyOnError(response.body, outgoing as ServerResponse), response);
    },
    {
      // Leaves the global Request and Response of the process unchanged.
      overrideGlobalObjects: false,
      // For HTTP/1.0 requests, which need no Host header.
      hostname: "localhost",
      errorHandler: respondToError,
    },
  );
  return async (request, response) => {
    escapeBackslashes(request);
    response.once("finish", () => discardBody(request));
    await listener(request, response);
  };
}

/** Responds to errors outside the handler. The URL of the errors page is not known here. */
function respondToError(error: unknown): Response {
  if (error instanceof RequestError) return errorResponse(new HttpError(400, `${error.message}.`), "");
  console.error(error);
  return errorResponse(toHttpError(error), "");
}

/** Sends the text at once, since the adapter would notice the end of a stream one timer tick later. */
function sendText({ status, headers }: Response, text: string, outgoing: ServerResponse): Response {
  outgoing.writeHead(status, { ...Object.fromEntries(headers), "content-length": Buffer.byteLength(text) });
  outgoing.end(text);
  return RESPONSE_ALREADY_SENT;
}

/** Destroys the connection if the body fails, so that no client mistakes a part for the whole or sees the error. */
function destroyOnError(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        // Nothing has been sent yet: the client still gets a 500, and the cause is logged.
        if (!outgoing.headersSent) return controller.error(new Error("The response failed.", { cause: error }));
        outgoing.destroy();
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Escapes backslashes in the path, which the adapter would reject without the error envelope. */
function escapeBackslashes(request: IncomingMessage): void {
  request.url = request.url?.replaceAll("\\", "%5C");
}

/** Discards the unread rest of a body, which would block the next request on the connection. */
function discardBody(request: IncomingMessage): void {
  if (request.readableEnded) return;
  request.removeAllListeners("data");
  request.resume();
}
