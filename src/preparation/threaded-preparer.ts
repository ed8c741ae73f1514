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
  const idle = Array.from({ length: Math.min(4, availableParallelism()) }, () => new PreparationThread());
  const all = [...idle];
  const waiting: ((thread: PreparationThread) => void)[] = [];
  let closed = false;

  const take = async (): Promise<PreparationThread> => {
    const thread = idle.pop() ?? (await new Promise<PreparationThread>((resolve) => waiting.push(resolve)));
    if (closed) throw new KnowledgeBaseError("closed", "The knowledge base is closed.");
    return thread;
  };
  const giveBack = (thread: PreparationThread) => {
    const next = waiting.shift();
    if (next) next(thread);
    else idle.push(thread);
  };

  return {
    async prepare(load, prepareOptions): Promise<PreparedDocument> {
      const thread = await take();
      try {
        return await thread.prepare(await load(), prepareOptions, options.timeoutMs);
      } finally {
        giveBack(thread);
      }
    },
    handles: (fileName, mimeType) => canParse(fileName, mimeType),
    async close() {
      closed = true;
      await Promise.all(all.map((thread) => thread.close()));
    },
  };
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
