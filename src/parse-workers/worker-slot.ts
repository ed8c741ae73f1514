import { KnowledgeBaseError } from "../errors.js";
import type { GenerateText } from "../interfaces/language-model.js";
import type { PeekableFile } from "./peekable-file.js";
import { PendingRequest } from "./pending-request.js";
import type { PreparedDocument, PrepareOptions } from "./preparer.js";
import type { HostFactory, WorkerHost } from "./worker-host.js";

export interface WorkerSlotOptions {
  /** Number of documents after which the worker is replaced, so that parsers' caches don't grow. @default unlimited */
  readonly maxDocuments?: number;
  /** Asks the language model; null if there is none. @default null */
  readonly ask?: GenerateText | null;
}

/** Prepares one document at a time in a worker. Starts and replaces the worker; terminates it on timeout or abort. */
export class WorkerSlot {
  readonly #openWorker: HostFactory;
  readonly #maxDocuments: number;
  readonly #ask: GenerateText | null;
  #worker: WorkerHost | null = null;
  #request: PendingRequest | null = null;
  #documentCount = 0;
  #isClosed = false;

  constructor(
    openWorker: HostFactory,
    { maxDocuments = Number.POSITIVE_INFINITY, ask = null }: WorkerSlotOptions = {},
  ) {
    this.#openWorker = openWorker;
    this.#maxDocuments = maxDocuments;
    this.#ask = ask;
  }

  /** @param timeoutMs Time limit on parsing and chunking without progress; the total limit is four times as long. */
  async prepare(file: PeekableFile, options: PrepareOptions, timeoutMs: number): Promise<PreparedDocument> {
    const firstPart = await file.next();
    options.signal?.throwIfAborted();
    if (this.#isClosed) throw closedError();
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
      // A terminated worker stays referenced until it has exited.
      if (this.#worker === worker) worker.unref();
      if (++this.#documentCount >= this.#maxDocuments || this.#worker?.isLarge()) this.#terminate();
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#isClosed = true;
    this.#request?.fail(closedError());
    await worker?.terminate();
  }

  #start(): WorkerHost {
    this.#documentCount = 0;
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
