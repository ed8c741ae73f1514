import { KnowledgeBaseError } from "../errors.js";
import type { GenerateText, ModelAnswer } from "../interfaces/language-model.js";
import { buffersOf, type RpcMessage, RpcPeer } from "../rpc/rpc-peer.js";
import { PausableTimeout } from "./pausable-timeout.js";
import type { PeekableFile } from "./peekable-file.js";
import type { PreparedDocument, PrepareOptions } from "./preparer.js";
import type { CallerOperations, ModelQuestion, WorkerOperations } from "./protocol.js";
import type { WorkerHost } from "./worker-host.js";

/** The total time limit, for work that reports progress, as a multiple of the limit without progress. */
const TOTAL_TIMEOUT_FACTOR = 4;

interface RequestContext {
  readonly worker: WorkerHost;
  readonly file: PeekableFile;
  readonly options: PrepareOptions;
  readonly timeoutMs: number;
  readonly ask: GenerateText | null;
  /** Terminates the worker. */
  terminate(): void;
}

/** Prepares one document in a worker: sends the file, serves the worker's calls and collects the results. */
export class PendingRequest {
  readonly #context: RequestContext;
  readonly #worker: RpcPeer<WorkerOperations>;
  readonly #timeout: PausableTimeout;
  /** Aborted when the request ends. */
  readonly #ended = new AbortController();
  /** The original error on this side, thrown instead of the worker's copy of it, which may lack the retry delay. */
  #error: unknown;
  #openQuestionCount = 0;

  constructor(context: RequestContext) {
    this.#context = context;
    const { worker, options, timeoutMs } = context;
    const handlers: CallerOperations = {
      nextPart: () => this.#nextPart(),
      countTokens: (texts) => this.#countTokens(texts),
      askModel: (question) => this.#askModel(question),
      reportProgress: () => this.#onProgress(),
      reportPages: (pages) => options.onPages?.(pages),
    };
    this.#worker = new RpcPeer(worker.post, handlers);
    options.signal?.addEventListener("abort", () => this.#abort(options.signal?.reason), {
      signal: this.#ended.signal,
    });
    const limits = { idleMs: timeoutMs, totalMs: timeoutMs * TOTAL_TIMEOUT_FACTOR };
    this.#timeout = new PausableTimeout(limits, (limitMs) => {
      const message = `Parsing took longer than ${limitMs / 1000} seconds and was stopped.`;
      this.#abort(new KnowledgeBaseError("limit_exceeded", message));
    });
  }

  async send(firstPart: Uint8Array): Promise<PreparedDocument> {
    const { file, options, timeoutMs, ask } = this.#context;
    const { countTokens: _, ...chunk } = options.chunk;
    const { parse, mainContent = false, countAll = false, firstPages = false } = options;
    const request = {
      file: { name: file.name, mimeType: file.mimeType, size: file.size },
      part: firstPart,
      parse,
      mainContent,
      timeoutMs: timeoutMs * TOTAL_TIMEOUT_FACTOR,
      chunk,
      countAll,
      firstPages,
      hasModel: ask !== null,
    };
    try {
      const { hasMore: hasRest, ...document } = await this.#worker.call("prepare", request, buffersOf(firstPart));
      const chunks = [...document.chunks];
      const text = [...document.text];
      for (let hasMore = hasRest; hasMore; ) {
        const results = await this.#worker.call("nextResults", null);
        chunks.push(...results.chunks);
        text.push(...results.text);
        hasMore = results.hasMore;
      }
      return { ...document, chunks, text };
    } catch (error) {
      throw this.#error ?? error;
    } finally {
      this.#end(this.#error);
    }
  }

  receive(message: RpcMessage): void {
    this.#worker.receive(message);
  }

  fail(error: unknown): void {
    this.#error = error;
    this.#end(error);
  }

  #end(error: unknown): void {
    this.#timeout.pause();
    this.#ended.abort();
    this.#worker.close(error);
  }

  /** Fails the request and terminates the worker, which is the only way to stop a busy worker. */
  #abort(error: unknown): void {
    this.#context.terminate();
    this.fail(error);
  }

  #onProgress(): void {
    this.#context.worker.raiseMemoryLimit();
    this.#timeout.restartIdle();
  }

  async #countTokens(texts: readonly string[]): Promise<readonly number[]> {
    try {
      return await this.#context.options.chunk.countTokens(texts);
    } catch (error) {
      if (!this.#ended.signal.aborted) this.#error = error;
      throw error;
    }
  }

  async #askModel({ messages, settings }: ModelQuestion): Promise<ModelAnswer> {
    const { signal } = this.#ended;
    // The model's time doesn't count as parsing time.
    if (this.#openQuestionCount++ === 0) this.#timeout.pause();
    try {
      return await this.#context.ask!(messages, { ...settings, signal });
    } catch (error) {
      if (!signal.aborted && KnowledgeBaseError.is(error) && error.retryable) this.#error = error;
      throw error;
    } finally {
      if (--this.#openQuestionCount === 0 && !signal.aborted) this.#timeout.resume();
    }
  }

  async #nextPart(): Promise<Uint8Array> {
    const { signal } = this.#ended;
    // The time to read the file from its store doesn't count as parsing time either.
    this.#timeout.pause();
    try {
      const part = await this.#context.file.next();
      if (!signal.aborted) {
        this.#timeout.restartIdle();
        this.#timeout.resume();
      }
      return part;
    } catch (error) {
      if (!signal.aborted) this.#abort(error);
      throw error;
    }
  }
}
