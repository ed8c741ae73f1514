import { JsonShape } from "../util/json-shape.js";
import { HttpError } from "./errors.js";
import { getBodyReader } from "./message-body.js";
import type { ResolvedHandlerOptions } from "./options.js";

/** The maximum number of values: ten megabytes of empty arrays would take seconds to parse, unlike text. */
const MAX_VALUES = 200_000;

/** The error of a body that is larger than the limit. */
export class BodyTooLargeError extends HttpError {
  constructor(maxBodyBytes: number) {
    super(400, `The body is larger than ${maxBodyBytes} bytes.`);
  }
}

/**
 * Reads a JSON body; an empty body counts as `{}`. Never keeps more than the limit in memory.
 * @throws HttpError 400 if the body is not JSON, compressed, incomplete, too large, too deeply nested or too slow
 */
export async function readJson(request: Request, limits: ResolvedHandlerOptions["limits"]): Promise<unknown> {
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) return {};
  const type = request.headers.get("content-type");
  if (type !== null && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new HttpError(400, `The body must be application/json, not ${JSON.stringify(type)}.`);
  }
  const { depth, valueCount } = new JsonShape().add(bytes);
  if (depth > limits.maxDepth) throw new HttpError(400, `The body is nested deeper than ${limits.maxDepth} levels.`);
  if (valueCount > MAX_VALUES) throw new HttpError(400, `The body has more than ${MAX_VALUES} values.`);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new HttpError(400, "The body is not well-formed JSON in UTF-8.");
  }
}

async function readBytes(
  request: Request,
  { maxBodyBytes, bodyTimeoutMs }: ResolvedHandlerOptions["limits"],
): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length")) > maxBodyBytes) throw new BodyTooLargeError(maxBodyBytes);
  if ((request.headers.get("content-encoding") ?? "identity") !== "identity")
    throw new HttpError(400, "The body must not be compressed.");
  const reader = getBodyReader(request);
  if (!reader) return new Uint8Array();
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    // Ends the pending read.
    reader.cancel().catch(() => {});
  }, bodyTimeoutMs);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (hasTimedOut) throw new HttpError(400, `The body took longer than ${bodyTimeoutMs} ms.`);
      if (done || !value) return Buffer.concat(chunks, size);
      size += value.length;
      // A body without a declared length is counted as it arrives.
      if (size > maxBodyBytes) throw new BodyTooLargeError(maxBodyBytes);
      chunks.push(value);
    }
  } catch (error) {
    // Stops the client from sending the rest. Fails only if the connection is already closed.
    reader.cancel().catch(() => {});
    if (error instanceof HttpError) throw error;
    throw new HttpError(400, "The body is incomplete: the connection was closed early.");
  } finally {
    clearTimeout(timer);
  }
}
