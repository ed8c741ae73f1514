import { Worker } from "node:worker_threads";
import { KnowledgeBaseError } from "../../errors.js";
import {
  fromFailure,
  type OpenedDatabase,
  type ThreadOperation,
  type ThreadReply,
  type ThreadRequest,
  type ThreadSettings,
  toFailure,
} from "./thread-protocol.js";

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The caller's side of one database thread. Requests are answered in the order in which they were made. */
export class DatabaseThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingCall>();
  readonly #exited: Promise<void>;
  #outbox: ThreadRequest[] = [];
  #nextId = 0;
  #ended: KnowledgeBaseError | null = null;

  private constructor() {
    // An empty environment: a database needs none of the host's secrets. None of the host's flags either: some, such as
    // --input-type, end a thread. The one flag keeps node:sqlite's warning out of the host's output.
    const execArgv = ["--disable-warning=ExperimentalWarning"];
    this.#worker = new Worker(new URL("./thread.js", import.meta.url), { env: {}, execArgv });
    this.#worker.unref();
    this.#worker.on("message", (replies: readonly ThreadReply[]) => {
      for (const reply of replies) this.#settle(reply);
    });
    this.#worker.on("error", (cause) => this.#end("The database thread failed.", cause));
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#end("The database is closed.");
        resolve();
      });
    });
  }

  /** Starts a thread, to be opened before anything is asked of it, and closed in any case. */
  static start(): DatabaseThread {
    return new DatabaseThread();
  }

  /** Waits until its connection is open (and, for a writer, the schema is the newest). */
  open(settings: ThreadSettings): Promise<OpenedDatabase> {
    return this.request({ kind: "open", settings });
  }

  /** Aborting stops the waiting, not the work: a statement that has been sent may still take effect. */
  request<Value>(operation: ThreadOperation, options: { signal?: AbortSignal | undefined } = {}): Promise<Value> {
    if (options.signal?.aborted) return Promise.reject(options.signal.reason);
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#nextId++;
    const answer = this.#expect(id) as Promise<Value>;
    this.#send({ ...operation, id });
    return options.signal ? abandonable(answer, options.signal) : answer;
  }

  /** Finishes what was asked for, closes the connection and ends the thread. */
  async close(): Promise<void> {
    if (!this.#ended) await this.request({ kind: "close" });
    // Its end is waited for as well.
    this.#worker.ref();
    await this.#exited;
  }

  /** A message costs more than most statements: requests of one turn of the event loop travel together. */
  #send(request: ThreadRequest): void {
    this.#outbox.push(request);
    if (this.#outbox.length > 1) return;
    process.nextTick(() => this.#post(this.#outbox.splice(0)));
  }

  /**
   * What cannot be cloned, as a function that a caller's own chunker left in a chunk, fails alone: the others are sent.
   */
  #post(requests: readonly ThreadRequest[]): void {
    try {
      this.#worker.postMessage(requests);
    } catch (error) {
      if (requests.length > 1) for (const request of requests) this.#post([request]);
      else this.#settle({ id: requests[0]!.id, failure: toFailure(error) });
    }
  }

  #expect(id: number): Promise<unknown> {
    // An idle thread doesn't keep the process alive, a call under way does.
    if (this.#pending.size === 0) this.#worker.ref();
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  #settle(reply: ThreadReply): void {
    const call = this.#pending.get(reply.id);
    if (!call) return;
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if ("failure" in reply) call.reject(fromFailure(reply.failure));
    else call.resolve(reply.value);
  }

  #end(message: string, cause?: unknown): void {
    this.#ended ??= new KnowledgeBaseError("store_failed", message, { cause });
    for (const call of this.#pending.values()) call.reject(this.#ended);
    this.#pending.clear();
  }
}

function abandonable<Value>(answer: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
