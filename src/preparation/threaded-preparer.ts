import { availableParallelism } from "node:os";
import { structureChunker } from "../chunkers/structure-chunker.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Chunker } from "../interfaces/chunker.js";
import type { Parser } from "../interfaces/parser.js";
import type { PreparedDocument, Preparer } from "../interfaces/preparer.js";
import { canParse } from "../parsers/can-parse.js";
import { parseAndChunk } from "./preparation.js";
import { PreparationThread } from "./preparation-thread.js";

export interface PreparerOptions {
  /** The caller's own parsers, asked before the built-in ones. They run on the caller's thread. */
  readonly parsers: readonly Parser[];
  /** The caller's own chunker, on the caller's thread; null for the built-in one. */
  readonly chunker: Chunker | null;
  /** A document that takes longer fails. */
  readonly timeoutMs: number;
}

/** Parses and chunks in threads of its own, as many documents at a time as there are threads. */
export function threadedPreparer(options: PreparerOptions): Preparer {
  // What the caller wrote cannot be sent to a thread, so everything runs where it was written.
  if (options.parsers.length > 0 || options.chunker) return inlinePreparer(options);
  const cores = Math.min(4, availableParallelism());
  const busy = new ThreadPool(cores);
  // A document whose chunks are measured in tokens mostly waits, behind texts that are being embedded: more of them fit.
  const waiting = new ThreadPool(2 * cores);
  return {
    prepare(load, prepareOptions): Promise<PreparedDocument> {
      const pool = prepareOptions.chunk.maxTokens === null ? busy : waiting;
      return pool.run(async (thread) => thread.prepare(await load(), prepareOptions, options.timeoutMs));
    },
    handles: (fileName, mimeType) => canParse(fileName, mimeType),
    async close() {
      await Promise.all([busy.close(), waiting.close()]);
    },
  };
}

/** Hands threads out one caller at a time; each starts when it is first used. */
class ThreadPool {
  readonly #all: readonly PreparationThread[];
  readonly #idle: PreparationThread[];
  readonly #waiting: ((thread: PreparationThread) => void)[] = [];
  #closed = false;

  constructor(size: number) {
    this.#all = Array.from({ length: size }, () => new PreparationThread());
    this.#idle = [...this.#all];
  }

  async run<Result>(work: (thread: PreparationThread) => Promise<Result>): Promise<Result> {
    const thread = this.#idle.pop() ?? (await new Promise<PreparationThread>((resolve) => this.#waiting.push(resolve)));
    try {
      if (this.#closed) throw new KnowledgeBaseError("closed", "The knowledge base is closed.");
      return await work(thread);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(thread);
      else this.#idle.push(thread);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#all.map((thread) => thread.close()));
  }
}

function inlinePreparer(options: PreparerOptions): Preparer {
  const drivers = { parsers: options.parsers, chunker: options.chunker ?? structureChunker };
  return {
    prepare: async (load, { parse, chunk, signal }) =>
      parseAndChunk(await load(), { parse: { config: parse, signal }, chunk: { ...chunk, signal } }, drivers),
    handles: (fileName, mimeType) => canParse(fileName, mimeType, options.parsers),
    async close() {},
  };
}
