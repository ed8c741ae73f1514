import type { IncomingMessage } from "node:http";

/** The part of `ReadableStreamDefaultReader` that reading a body needs. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  /** Stops reading, including any pending read. */
  cancel(): Promise<void>;
}

type ParsedMessage = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

const MESSAGES = new WeakMap<Request, IncomingMessage>();

/**
 * Returns a reader of a request's body; `null` if there is none. Reads the Node message if it is attached, which takes a
 * third of the time that reading `request.body` takes.
 */
export function getBodyReader(request: Request): BodyReader | null {
  const message = MESSAGES.get(request);
  return message ? new MessageReader(message) : (request.body?.getReader() ?? null);
}

/**
 * Attaches the body of the Node message to its request, even if a body parser such as `express.json()` has already read
 * it. Unless the parser kept the bytes, the body may differ from the bytes sent. The content type then says
 * `parsed=true`, so that an upload, which must match its declared type, is rejected.
 */
export function attachBody(request: Request, message: ParsedMessage): Request {
  const { method } = request;
  if (method === "GET" || method === "HEAD") return request;
  if (!message.readableDidRead) {
    MESSAGES.set(request, message);
    return request;
  }
  const { url, signal } = request;
  const headers = new Headers(request.headers);
  // Both headers describe the body as it was sent, possibly compressed.
  const length = headers.get("content-length");
  headers.delete("content-length");
  headers.delete("content-encoding");
  const bytes = [message.rawBody, message.body].find((value) => value instanceof Uint8Array);
  if (bytes) return new Request(url, { method, headers, signal, body: new Uint8Array(bytes) });
  const { body } = message;
  if (body === undefined) {
    if (!headers.has("transfer-encoding") && Number(length) === 0) return request;
    throw new Error(
      "An earlier handler read the request's body without keeping it: mount Lorebase before that handler.",
    );
  }
  headers.set("content-type", `${headers.get("content-type") ?? "application/json"}; parsed=true`);
  return new Request(url, { method, headers, signal, body: typeof body === "string" ? body : JSON.stringify(body) });
}

const CHANGE_EVENTS = ["readable", "end", "error", "close"] as const;

class MessageReader implements BodyReader {
  readonly #message: IncomingMessage;
  #cancelled = false;
  #resume: (() => void) | null = null;

  constructor(message: IncomingMessage) {
    this.#message = message;
  }

  async read(): Promise<{ done: boolean; value?: Uint8Array }> {
    const message = this.#message;
    while (!this.#cancelled) {
      const value: Uint8Array | null = message.read();
      if (value !== null) return { done: false, value };
      if (message.complete) return { done: true };
      if (message.destroyed)
        throw message.errored ?? new Error("The connection was closed before the body had arrived.");
      await this.#waitForChange();
    }
    return { done: true };
  }

  async cancel(): Promise<void> {
    this.#cancelled = true;
    this.#resume?.();
  }

  #waitForChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = () => {
        for (const event of CHANGE_EVENTS) this.#message.off(event, this.#resume!);
        resolve();
      };
      for (const event of CHANGE_EVENTS) this.#message.on(event, this.#resume);
    });
  }
}
