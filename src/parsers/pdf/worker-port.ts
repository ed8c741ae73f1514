/** What the two sides of pdfjs need of a port, of which each listens on its own. */
export interface WorkerPort {
  postMessage(message: Message, transfer?: ArrayBuffer[]): void;
  addEventListener(name: "message", listener: Listener, options?: { readonly signal?: AbortSignal }): void;
  removeEventListener(name: "message", listener: Listener): void;
}

type Listener = (event: { readonly data: Message }) => void;

interface Message {
  readonly chunk?: { readonly items?: readonly unknown[] };
}

/**
 * Two ports joined within the thread. Text goes over as it is: the sender begins a new list after each part of it, and
 * cloning every letter's place takes as long as laying the text out.
 */
export function joinedPorts(): readonly [WorkerPort, WorkerPort] {
  const listeners: readonly [Set<Listener>, Set<Listener>] = [new Set(), new Set()];
  // A promise's reaction costs a fraction of what a microtask by name does.
  const delivered = Promise.resolve();
  const port = (own: Set<Listener>, other: Set<Listener>): WorkerPort => ({
    postMessage(message, transfer = []) {
      const { chunk } = message;
      const data =
        chunk?.items === undefined ? structuredClone(message, { transfer }) : { ...message, chunk: { ...chunk } };
      void delivered.then(() => {
        for (const listener of other) listener({ data });
      });
    },
    addEventListener(_, listener, { signal } = {}) {
      own.add(listener);
      signal?.addEventListener("abort", () => own.delete(listener), { once: true });
    },
    removeEventListener(_, listener) {
      own.delete(listener);
    },
  });
  return [port(listeners[0], listeners[1]), port(listeners[1], listeners[0])];
}
