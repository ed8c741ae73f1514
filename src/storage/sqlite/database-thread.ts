import { Worker } from "node:worker_threads";
import { KnowledgeBaseError } from "../../errors.js";
import { abortable } from "../../util/abortable.js";
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

/** Starts a database thread and sends requests to it, which the thread answers in order. */
export class DatabaseThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingCall>();
  readonly #exited: Promise<void>;
  #outbox: ThreadRequest[] = [];
  #nextId = 0;
  #endError: KnowledgeBaseError | null = null;

  /** Starts a thread. The caller must open it before other requests, and always close it. */
  constructor() {
    // Without the host's environment, since a database needs none of its secrets, and without its flags, since some,
    // such as --input-type, would end the thread. The one flag keeps node:sqlite's warning out of the host's output.
    const execArgv = ["--disable-warning=ExperimentalWarning"];
    this.#worker = new Worker(new URL("./thread.cjs", import.meta.url), { env: {}, execArgv });
    this.#worker.unref();
    this.#worker.on("message", (replies: readonly ThreadReply[]) => {
      for (const reply of replies) this.#settle(reply);
    });
    this.#worker.on("error", (cause) =>
      this.#end("The database thread failed. Close the knowledge base and open it again.", cause),
    );
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#end("The database is closed.");
        resolve();
      });
    });
  }

  /** Opens the thread's connection. For a writer, also migrates the database. */
  open(settings: ThreadSettings): Promise<OpenedDatabase> {
    return this.request({ kind: "open", settings });
  }

  /** Sends a request and waits for its reply. Aborting stops the wait, but the request may still take effect. */
  request<Value>(operation: ThreadOperation, options: { signal?: AbortSignal | undefined } = {}): Promise<Value> {
    if (options.signal?.aborted) return Promise.reject(options.signal.reason);
    if (this.#endError) return Promise.reject(this.#endError);
    const id = this.#nextId++;
    const reply = this.#waitForReply(id) as Promise<Value>;
    this.#send({ ...operation, id });
    return options.signal ? abortable(reply, options.signal) : reply;
  }

  /** Completes pending requests, closes the connection and ends the thread. */
  async close(): Promise<void> {
    if (!this.#endError) await this.request({ kind: "close" });
    // Also waits for the thread to end.
    this.#worker.ref();
    await this.#exited;
  }

  /** Sends requests of one turn of the event loop together, since a message costs more than most statements. */
  #send(request: ThreadRequest): void {
    this.#outbox.push(request);
    if (this.#outbox.length > 1) return;
    process.nextTick(() => this.#post(this.#outbox.splice(0)));
  }

  /** Posts requests. If one can't be cloned, such as a custom chunker's chunk with a function, it fails alone. */
  #post(requests: readonly ThreadRequest[]): void {
    try {
      this.#worker.postMessage(requests);
    } catch (error) {
      if (requests.length > 1) for (const request of requests) this.#post([request]);
      else this.#settle({ id: requests[0]!.id, failure: toFailure(error) });
    }
  }

  #waitForReply(id: number): Promise<unknown> {
    // An idle thread doesn't keep the process alive; a pending call does.
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
    this.#endError ??= new KnowledgeBaseError("store_failed", message, { cause });
    for (const call of this.#pending.values()) call.reject(this.#endError);
    this.#pending.clear();
  }
}
