/** The part of a message port that both sides of pdfjs use. */
export interface WorkerPort {
  postMessage(message: Message, transfer?: ArrayBuffer[]): void;
  addEventListener(name: "message", listener: Listener, options?: { readonly signal?: AbortSignal }): void;
  removeEventListener(name: "message", listener: Listener): void;
}

type Listener = (event: { readonly data: Message }) => void;

interface Message {
  readonly action?: string;
  /** What kind of answer the message is; only answers have one. */
  readonly callback?: number;
  readonly data?: unknown;
  readonly reason?: unknown;
  /** A part of a page's text or drawing. */
  readonly chunk?: object;
}

/** The kind of answer with which pdfjs rejects a promise. */
const CALLBACK_ERROR = 2;

/**
 * Creates two connected ports in one thread. Texts and drawings are passed by reference, in copies of their lists, which
 * the sender uses again: cloning the position of every letter would take as long as laying out the text.
 */
export function createConnectedPorts(): readonly [WorkerPort, WorkerPort] {
  const listeners: readonly [Set<Listener>, Set<Listener>] = [new Set(), new Set()];
  // A promise reaction costs a fraction of `queueMicrotask`.
  const delivered = Promise.resolve();
  const port = (incoming: Set<Listener>, outgoing: Set<Listener>): WorkerPort => ({
    postMessage(message, transfer = []) {
      const { chunk } = message;
      const data = chunk === undefined ? clone(message, transfer) : { ...message, chunk: copyLists(chunk) };
      void delivered.then(() => {
        for (const listener of outgoing) listener({ data });
      });
    },
    addEventListener(_, listener, { signal } = {}) {
      incoming.add(listener);
      signal?.addEventListener("abort", () => incoming.delete(listener), { once: true });
    },
    removeEventListener(_, listener) {
      incoming.delete(listener);
    },
  });
  return [port(listeners[0], listeners[1]), port(listeners[1], listeners[0])];
}

/**
 * Clones a message. What is too deeply nested to be cloned is replaced by the error: pdfjs sends its answers and its
 * documents where it handles no error, so that one would end the process.
 */
function clone(message: Message, transfer: ArrayBuffer[]): Message {
  try {
    return structuredClone(message, { transfer });
  } catch (reason) {
    const { data: _, ...rest } = message;
    if (message.callback !== undefined) return { ...rest, callback: CALLBACK_ERROR, reason };
    if (message.action === "GetDoc") return { ...rest, action: "DocException", data: reason };
    throw reason;
  }
}

function copyLists(chunk: object): object {
  const entries = Object.entries(chunk).map(([key, value]) => [key, Array.isArray(value) ? value.slice() : value]);
  return Object.fromEntries(entries);
}
