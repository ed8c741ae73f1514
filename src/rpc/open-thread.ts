import { Worker, type WorkerOptions } from "node:worker_threads";
import type { PostMessage, RpcMessage } from "./rpc-peer.js";

export interface ThreadOptions extends Pick<WorkerOptions, "workerData" | "resourceLimits"> {
  /** The module that the thread runs. */
  readonly entry: URL;
  /** The thread's name, for debuggers and error messages. */
  readonly name: string;
}

export interface ThreadEvents {
  onMessage(message: RpcMessage): void;
  /** @param crash What the thread threw; `undefined` if it ended without an error. */
  onExit(crash: unknown): void;
}

export interface Thread {
  readonly post: PostMessage;
  /** Keeps the process alive. */
  ref(): void;
  /** Lets the process exit. Has no effect after `terminate`, which the process waits for. */
  unref(): void;
  /** Resolves when the thread has ended. */
  terminate(): Promise<void>;
}

/**
 * Starts a worker thread that doesn't keep the process alive, sees none of the host's environment variables, and
 * ignores the host's command-line options, such as preloads.
 */
export function openThread({ entry, ...options }: ThreadOptions, { onMessage, onExit }: ThreadEvents): Thread {
  const worker = new Worker(entry, { ...options, env: {}, argv: [], execArgv: [] });
  let crash: unknown;
  let isTerminated = false;
  worker.unref();
  worker.on("message", onMessage);
  worker.on("error", (error) => {
    crash = error;
  });
  worker.on("exit", () => onExit(crash));
  // Otherwise a call whose reply cannot be deserialized would stay pending.
  worker.on("messageerror", (error) => {
    crash = error;
    void worker.terminate();
  });
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    ref: () => worker.ref(),
    unref() {
      if (!isTerminated) worker.unref();
    },
    async terminate() {
      isTerminated = true;
      worker.ref();
      await worker.terminate();
    },
  };
}
