import { parentPort } from "node:worker_threads";
import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { Handlers, ThreadFailure, ThreadMessage, ThreadRequest } from "./handlers.js";

/**
 * Answers a pool's requests from inside its worker thread. A typed array in an answer, or in a field of it, is moved,
 * not copied.
 */
export function serve<Operations extends Handlers<Operations>>(operations: Operations): void {
  const handlers = operations as unknown as Readonly<Record<string, (input: unknown) => unknown>>;
  port().on("message", async ({ operation, input }: ThreadRequest) => {
    try {
      const output = await handlers[operation]!(input);
      post({ kind: "reply", output }, buffersOf(output));
    } catch (error) {
      post({ kind: "failure", failure: toFailure(error) });
    }
  });
}

/** Sends an event to the pool, such as the progress of a download. */
export function emit(event: unknown): void {
  post({ kind: "event", event });
}

function buffersOf(output: unknown): ArrayBuffer[] {
  if (typeof output !== "object" || output === null) return [];
  const views = ArrayBuffer.isView(output) ? [output] : Object.values(output).filter(ArrayBuffer.isView);
  return views.map(({ buffer }) => buffer as ArrayBuffer);
}

function post(message: ThreadMessage, moved: ArrayBuffer[] = []): void {
  port().postMessage(message, moved);
}

function port() {
  if (parentPort === null) throw new KnowledgeBaseError("internal", "serve() works in a worker thread only.");
  return parentPort;
}

function toFailure(error: unknown): ThreadFailure {
  if (!KnowledgeBaseError.is(error))
    return { code: "internal", message: messageOf(error), retryable: false, cause: null };
  const cause = error.cause === undefined ? null : messageOf(error.cause);
  return { code: error.code, message: error.message, retryable: error.retryable, cause };
}
