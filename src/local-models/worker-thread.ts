import { Worker } from "node:worker_threads";
import { type ErrorCode, KnowledgeBaseError, messageOf } from "../errors.js";
import type { ThreadFailure, ThreadMessage, ThreadRequest } from "./handlers.js";

/** One request on its way through a pool. */
export interface Task extends ThreadRequest {
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

export interface WorkerThreadOptions {
  /** Module that the thread runs; it calls `serve`. */
  readonly entry: URL;
  /** For error messages and process listings. */
  readonly name: string;
  /** Cloned into the thread as its `workerData`. */
  readonly workerData: unknown;
  onEvent(event: unknown): void;
  /** The thread can take the next task. */
  onIdle(thread: WorkerThread): void;
  /** The thread has ended, and its task was rejected. */
  onEnd(thread: WorkerThread): void;
}

/**
 * A worker thread that does one task at a time. It holds the process open only while somebody waits for its task,
 * sees no environment variable of the host, and preloads nothing that the host's command line asks for.
 */
export class WorkerThread {
  readonly #options: WorkerThreadOptions;
  readonly #worker: Worker;
  #task: Task | null = null;
  #crash: unknown;

  constructor(options: WorkerThreadOptions) {
    this.#options = options;
    const { entry, name, workerData } = options;
    this.#worker = new Worker(entry, { name, workerData, env: {}, argv: [], execArgv: [] });
    this.#worker.unref();
    this.#worker.on("message", (message: ThreadMessage) => this.#receive(message));
    this.#worker.on("messageerror", (error) => this.#settle((task) => task.reject(this.#lost(error))));
    this.#worker.on("error", (error) => {
      this.#crash = error;
    });
    this.#worker.on("exit", () => {
      this.#finish((task) => task.reject(this.#lost(this.#crash)));
      options.onEnd(this);
    });
  }

  run(task: Task): void {
    this.#task = task;
    this.#worker.ref();
    try {
      this.#worker.postMessage({ operation: task.operation, input: task.input } satisfies ThreadRequest);
    } catch (error) {
      this.#settle(() => task.reject(error));
    }
  }

  /** The running task is no longer awaited. The thread is busy until it ends. */
  abandon(task: Task): void {
    if (this.#task === task) this.#worker.unref();
  }

  async terminate(): Promise<void> {
    // Waited for, so it holds the process open until it has happened.
    this.#worker.ref();
    await this.#worker.terminate();
  }

  #receive(message: ThreadMessage): void {
    if (message.kind === "event") this.#options.onEvent(message.event);
    else if (message.kind === "reply") this.#settle((task) => task.resolve(message.output));
    else this.#settle((task) => task.reject(toError(message.failure)));
  }

  #settle(report: (task: Task) => void): void {
    this.#finish(report);
    this.#options.onIdle(this);
  }

  #finish(report: (task: Task) => void): void {
    const task = this.#task;
    this.#task = null;
    this.#worker.unref();
    if (task !== null) report(task);
  }

  #lost(cause: unknown): KnowledgeBaseError {
    const reason = cause === undefined ? "it ended without an error" : messageOf(cause);
    const message = `The ${this.#options.name} thread was lost during the call: ${reason}. The next call starts a new one.`;
    return new KnowledgeBaseError("provider_failed", message, { cause, retryable: true });
  }
}

function toError({ code, message, retryable, cause }: ThreadFailure): KnowledgeBaseError {
  const origin = cause === null ? undefined : new Error(cause);
  return new KnowledgeBaseError(code as ErrorCode, message, { retryable, cause: origin });
}
