import type { IncomingMessage } from "node:http";

/** What reading a body needs of a `ReadableStreamDefaultReader`. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  /** Ends a read that waits, and reading altogether. */
  cancel(): Promise<void>;
}

const MESSAGES = new WeakMap<Request, IncomingMessage>();

/** Says which message a request was made of: its body can be read there, which costs a third of the stream that `Request` makes of it. */
export function madeOf(message: IncomingMessage, request: Request): Request {
  MESSAGES.set(request, message);
  return request;
}

/** Reads a request's body part by part; null where it has none. */
export function bodyReader(request: Request): BodyReader | null {
  const message = MESSAGES.get(request);
  return message ? new MessageReader(message) : (request.body?.getReader() ?? null);
}

const CHANGES = ["readable", "end", "error", "close"] as const;

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
      if (message.destroyed) throw message.errored ?? new Error("The connection has ended.");
      await this.#change();
    }
    return { done: true };
  }

  async cancel(): Promise<void> {
    this.#cancelled = true;
    this.#resume?.();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = () => {
        for (const event of CHANGES) this.#message.off(event, this.#resume!);
        resolve();
      };
      for (const event of CHANGES) this.#message.on(event, this.#resume);
    });
  }
}
