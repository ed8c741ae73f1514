import { KnowledgeBaseError } from "../errors.js";
import type { GenerateText } from "../interfaces/language-model.js";
import type { PeekableFile } from "./peekable-file.js";
import { PendingRequest } from "./pending-request.js";
import type { PreparedDocument, PrepareOptions } from "./preparer.js";
import type { HostFactory, WorkerHost } from "./worker-host.js";

export interface WorkerSlotOptions {
  /** Documents after which the worker is replaced, so that what parsers cache doesn't accumulate. @default unlimited */
  readonly maxDocuments?: number;
  /** Calls the language model. @default null: there is none */
  readonly ask?: GenerateText | null;
}

/** Runs one document at a time in a worker, which it starts, replaces and terminates on timeout or abort. */
export class WorkerSlot {
  readonly #openWorker: HostFactory;
  readonly #maxDocuments: number;
  readonly #ask: GenerateText | null;
  #worker: WorkerHost | null = null;
  #request: PendingRequest | null = null;
  #documents = 0;
  #closed = false;

  constructor(open: HostFactory, { maxDocuments = Number.POSITIVE_INFINITY, ask = null }: WorkerSlotOptions = {}) {
    this.#openWorker = open;
    this.#maxDocuments = maxDocuments;
    this.#ask = ask;
  }

  /** @param timeoutMs Limit on parsing and chunking without progress; the limit on the total is four times as long. */
  async prepare(file: PeekableFile, options: PrepareOptions, timeoutMs: number): Promise<PreparedDocument> {
    const firstPart = await file.next();
    options.signal?.throwIfAborted();
    if (this.#closed) throw closedError();
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref();
    try {
      this.#request = new PendingRequest({
        worker,
        file,
        options,
        timeoutMs,
        ask: this.#ask,
        terminate: () => this.#terminate(),
      });
      return await this.#request.send(firstPart);
    } finally {
      this.#request = null;
      // A terminated worker stays referenced until it has ended.
      if (this.#worker === worker) worker.unref();
      if (++this.#documents >= this.#maxDocuments || this.#worker?.isLarge()) this.#terminate();
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#closed = true;
    this.#request?.fail(closedError());
    await worker?.terminate();
  }

  #start(): WorkerHost {
    this.#documents = 0;
    const worker = this.#openWorker({
      onMessage: (message) => {
        if (this.#worker === worker) this.#request?.receive(message);
      },
      onExit: (reason, cause) => {
        if (this.#worker !== worker) return;
        this.#worker = null;
        this.#request?.fail(
          cause === "memory"
            ? new KnowledgeBaseError("limit_exceeded", reason)
            : new KnowledgeBaseError("internal", `The parser crashed: ${reason}.`),
        );
      },
    });
    return worker;
  }

  /** Terminates the worker; its remaining messages are ignored. */
  #terminate(): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
  }
}

function closedError(): KnowledgeBaseError {
  return new KnowledgeBaseError("closed", "The knowledge base is closed.");
}
