import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Handler } from "./create-handler.js";
import { errorResponse, HttpError, toHttpError } from "./errors.js";
import { restoreBody } from "./restore-body.js";
import { wholeText } from "./whole-json.js";

/**
 * Adapts a handler to `node:http` and to what accepts its listeners: Express (`app.use("/kb", listener)`), Connect and
 * Fastify's raw objects. It never rejects. It works after a body parser, except for uploads, whose bytes a parser
 * changes.
 *
 * @example
 * import { createServer } from "node:http";
 *
 * createServer(toNodeHandler(createHandler(kb))).listen(3000, "127.0.0.1");
 */
export function toNodeHandler(handler: Handler): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const response = await handler(restoreBody(request, incoming as IncomingMessage));
      const text = wholeText(response);
      if (text !== null) return sendWhole(response, text, outgoing as ServerResponse);
      if (!response.body) return response;
      return new Response(orBreakOff(response.body, outgoing as ServerResponse), response);
    },
    {
      // The process's own Request and Response stay as they are: we are a guest in it.
      overrideGlobalObjects: false,
      // Of an HTTP/1.0 request, which may come without one.
      hostname: "localhost",
      errorHandler: refuse,
    },
  );
  return async (request, response) => {
    escapeBackslashes(request);
    response.once("finish", () => discardRest(request));
    await listener(request, response);
  };
}

/** What never came to the handler, or out of it. Nobody knows here under which address the pages of errors are. */
function refuse(error: unknown): Response {
  if (error instanceof RequestError) return errorResponse(new HttpError(400, `${error.message}.`), "");
  console.error(error);
  return errorResponse(toHttpError(error), "");
}

/**
 * At once: read as a stream, an answer that is all there would wait for a timer's next turn before it is known to end.
 */
function sendWhole({ status, headers }: Response, text: string, outgoing: ServerResponse): Response {
  outgoing.writeHead(status, { ...Object.fromEntries(headers), "content-length": Buffer.byteLength(text) });
  outgoing.end(text);
  return RESPONSE_ALREADY_SENT;
}

/**
 * A body that fails on its way ends with the connection: no client takes a part for the whole, or reads what went wrong
 * here.
 */
function orBreakOff(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        // Nothing has gone out yet: this can still be answered as a failure, with this message, while the log gets the cause.
        if (!outgoing.headersSent) return controller.error(new Error("The answer broke off.", { cause: error }));
        outgoing.destroy();
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * The listener answers for a path with a backslash itself, without the envelope; escaped, it is a character like any
 * other.
 */
function escapeBackslashes(request: IncomingMessage): void {
  request.url = request.url?.replaceAll("\\", "%5C");
}

/**
 * What an answer didn't wait for stands in the way of the connection's next request: whoever began to read has stopped
 * the flow.
 */
function discardRest(request: IncomingMessage): void {
  if (request.readableEnded) return;
  request.removeAllListeners("data");
  request.resume();
}
