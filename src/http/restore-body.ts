import type { IncomingMessage } from "node:http";
import { madeOf } from "./message-body.js";

type ParsedMessage = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

/**
 * Gives a request back the body that a parser before us (`express.json()`) has read. Unless the parser kept the bytes, they are
 * not those that were sent: the content type says so, and an upload, to which it is bound, is refused.
 */
export function restoreBody(request: Request, incoming: ParsedMessage): Request {
  const { method } = request;
  if (method === "GET" || method === "HEAD") return request;
  if (!incoming.readableDidRead) return madeOf(incoming, request);
  const { url, signal } = request;
  const headers = new Headers(request.headers);
  // Of the body as it was sent, perhaps compressed.
  const length = headers.get("content-length");
  headers.delete("content-length");
  headers.delete("content-encoding");
  const bytes = [incoming.rawBody, incoming.body].find((value) => value instanceof Uint8Array);
  if (bytes) return new Request(url, { method, headers, signal, body: new Uint8Array(bytes) });
  const { body } = incoming;
  if (body === undefined) {
    if (!headers.has("transfer-encoding") && Number(length) === 0) return request;
    throw new Error("What stands before Lorebase has read the request's body and left none: mount Lorebase before it.");
  }
  headers.set("content-type", `${headers.get("content-type") ?? "application/json"}; parsed=true`);
  return new Request(url, { method, headers, signal, body: typeof body === "string" ? body : JSON.stringify(body) });
}
