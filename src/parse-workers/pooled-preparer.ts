import { availableParallelism } from "node:os";
import { canParse, claims } from "../parsers/can-parse.js";
import { needsProcess } from "../parsers/needs-process.js";
import { parseAndChunk } from "./parse-and-chunk.js";
import { PeekableFile } from "./peekable-file.js";
import { preparationRules } from "./preparation-rules.js";
import type { PreparedDocument, Preparer } from "./preparer.js";
import type { PreparerOptions } from "./preparer-options.js";
import { WorkerPool } from "./worker-pool.js";

/**
 * Larger files are parsed in a process: `resourceLimits` doesn't bound a thread's Buffers. The worst text of this size
 * takes some 40 MB.
 */
const MAX_THREAD_BYTES = 256 * 1024;

/** Parses and chunks documents in threads and processes. */
export function pooledPreparer(options: PreparerOptions): Preparer {
  const inline = inlinePreparer(options);
  // The caller's own chunker and parsers cannot be sent to a worker, so they run on the caller's thread.
  if (options.chunker) return inline;
  const cores = Math.min(4, availableParallelism());
  const cpuBound = new WorkerPool(cores, options);
  // With a token limit, a document mostly waits for its tokens to be counted behind texts that are being embedded.
  const countingTokens = new WorkerPool(2 * cores, options);
  // Documents that wait for a language model don't delay the others.
  const callingModel = new WorkerPool(2 * cores, options);
  return {
    prepare(load, prepareOptions): Promise<PreparedDocument> {
      const usesModel = prepareOptions.parse.useLlm === true && options.languageModel !== null;
      const pool = usesModel ? callingModel : prepareOptions.chunk.maxTokens === null ? cpuBound : countingTokens;
      return pool.run(async ({ thread, process }) => {
        const file = new PeekableFile(await load(), prepareOptions.signal);
        try {
          const head = await file.peek();
          if (options.parsers.some((parser) => claims(parser, head)))
            return await inline.prepare(() => file.readAll(), prepareOptions);
          // Images for a language model are decoded by native code, in files of any format.
          const slot = usesModel || file.size > MAX_THREAD_BYTES || needsProcess(head) ? process : thread;
          return await slot.prepare(file, prepareOptions, options.timeoutMs);
        } finally {
          await file.close();
        }
      });
    },
    handles: inline.handles,
    rules: inline.rules,
    async close() {
      await Promise.all([cpuBound.close(), countingTokens.close(), callingModel.close()]);
    },
  };
}

function inlinePreparer(options: PreparerOptions): Preparer {
  const ask = options.languageModel?.ask;
  return {
    prepare: async (load, { parse, mainContent, chunk, signal }) => {
      const steps = { parse: { config: parse, mainContent, signal, ask }, chunk: { ...chunk, signal }, countAll: true };
      const file = new PeekableFile(await load(), signal);
      try {
        return await parseAndChunk(await file.readAll(), steps, options);
      } finally {
        await file.close();
      }
    },
    handles: (fileName, mimeType) => canParse(fileName, mimeType, options.parsers),
    rules: (config) => preparationRules(options, config),
    async close() {},
  };
}
