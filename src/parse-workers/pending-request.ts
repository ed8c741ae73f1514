import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { AskModel } from "../interfaces/language-model.js";
import { PausableTimeout } from "./pausable-timeout.js";
import type { PeekableFile } from "./peekable-file.js";
import type { PreparedChunk, PreparedDocument, PrepareOptions } from "./preparer.js";
import { type MessageFromWorker, toWireError } from "./protocol.js";
import type { WorkerHost } from "./worker-host.js";

/** The limit on the total time, for work that reports progress (as text recognition does after each page). */
const TOTAL_FACTOR = 4;

interface RequestContext {
  readonly worker: WorkerHost;
  readonly file: PeekableFile;
  readonly options: PrepareOptions;
  readonly timeoutMs: number;
  readonly ask: AskModel | null;
  /** Terminates the worker. */
  terminate(): void;
}

/** One document in a worker: sends the file, serves the worker's requests and collects the result. */
export class PendingRequest {
  readonly #context: RequestContext;
  readonly #timeout: PausableTimeout;
  /** Aborted when the request has ended. */
  readonly #ended = new AbortController();
  readonly #chunks: PreparedChunk[] = [];
  readonly #text: string[] = [];
  #document: PreparedDocument | null = null;
  /** The error as the model threw it: its retry delay doesn't survive the way through the worker. */
  #modelError: unknown;
  #openQuestions = 0;
  #resolve: (document: PreparedDocument) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(context: RequestContext) {
    this.#context = context;
    const { options, timeoutMs } = context;
    options.signal?.addEventListener("abort", () => this.#abort(options.signal?.reason), {
      signal: this.#ended.signal,
    });
    const limits = { idleMs: timeoutMs, totalMs: timeoutMs * TOTAL_FACTOR };
    this.#timeout = new PausableTimeout(limits, (limitMs) => {
      const message = `Parsing took longer than ${limitMs / 1000} seconds and was stopped.`;
      this.#abort(new KnowledgeBaseError("limit_exceeded", message));
    });
  }

  send(firstPart: Uint8Array): Promise<PreparedDocument> {
    const { worker, file, options, timeoutMs, ask } = this.#context;
    const { countTokens: _, ...chunk } = options.chunk;
    const { parse, mainContent = false, countAll = false } = options;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      worker.post(
        {
          kind: "prepare",
          file: { name: file.name, mimeType: file.mimeType, size: file.size },
          part: firstPart,
          parse,
          mainContent,
          timeoutMs: timeoutMs * TOTAL_FACTOR,
          chunk,
          countAll,
          hasModel: ask !== null,
        },
        transferable(firstPart),
      );
    });
  }

  onMessage(message: MessageFromWorker): void {
    switch (message.kind) {
      case "nextPart":
        void this.#sendPart();
        break;
      case "progress":
        this.#context.worker.allowMore();
        this.#timeout.progress();
        break;
      case "prepared":
        this.#document = message.document;
        this.#collect(message.document, message.more);
        break;
      case "nextResults":
        this.#collect(message, message.more);
        break;
      case "failed":
        this.fail(this.#modelError ?? new KnowledgeBaseError(message.code, message.message, message));
        break;
      case "countTokens":
        void this.#countTokens(message.texts);
        break;
      case "askModel":
        void this.#askModel(message);
    }
  }

  fail(error: unknown): void {
    this.#end();
    this.#reject(error);
  }

  #end(): void {
    this.#timeout.pause();
    this.#ended.abort();
  }

  /** Ends the request while the worker is busy, which only terminating the worker stops. */
  #abort(error: unknown): void {
    this.#context.terminate();
    this.fail(error);
  }

  #collect(part: Pick<PreparedDocument, "chunks" | "text">, more: boolean): void {
    for (const chunk of part.chunks) this.#chunks.push(chunk);
    for (const piece of part.text) this.#text.push(piece);
    if (more) {
      this.#context.worker.post({ kind: "sendMore" });
      return;
    }
    this.#end();
    this.#resolve({ ...this.#document!, chunks: this.#chunks, text: this.#text });
  }

  async #countTokens(texts: readonly string[]): Promise<void> {
    const { worker, options } = this.#context;
    try {
      worker.post({ kind: "tokenCounts", counts: await options.chunk.countTokens(texts) });
    } catch (error) {
      this.#modelError = error;
      worker.post({ kind: "countFailed", message: messageOf(error) });
    }
  }

  async #askModel({ id, messages, settings }: MessageFromWorker & { kind: "askModel" }): Promise<void> {
    const { worker, ask } = this.#context;
    const { signal } = this.#ended;
    // The model's time doesn't count as parsing time.
    if (this.#openQuestions++ === 0) this.#timeout.pause();
    try {
      const answer = await ask!(messages, { ...settings, signal });
      if (!signal.aborted) worker.post({ kind: "modelAnswer", id, answer });
    } catch (error) {
      if (signal.aborted) return;
      const wireError = toWireError(error);
      if (wireError.retryable) this.#modelError = error;
      worker.post({ kind: "modelError", id, ...wireError });
    } finally {
      if (--this.#openQuestions === 0 && !signal.aborted) this.#timeout.resume();
    }
  }

  async #sendPart(): Promise<void> {
    const { worker, file } = this.#context;
    const { signal } = this.#ended;
    // Nor does the time to read the file from its store.
    this.#timeout.pause();
    try {
      const part = await file.next();
      if (signal.aborted) return;
      worker.post({ kind: "part", part }, transferable(part));
      this.#timeout.progress();
      this.#timeout.resume();
    } catch (error) {
      if (!signal.aborted) this.#abort(error);
    }
  }
}

/** The buffer of a part that fills all of it. */
function transferable({ buffer, byteLength }: Uint8Array): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
