import { canParse, mayParse } from "../parsers/can-parse.js";
import { needsSeparateProcess } from "../parsers/needs-separate-process.js";
import { assertCells } from "./assert-cells.js";
import { parseAndChunk } from "./parse-and-chunk.js";
import { PeekableFile } from "./peekable-file.js";
import { preparationFingerprint } from "./preparation-fingerprint.js";
import type { PreparedDocument, Preparer } from "./preparer.js";
import type { PreparerOptions } from "./preparer-options.js";
import { MAX_THREAD_BYTES, workerPoolSizes } from "./worker-limits.js";
import { WorkerPool } from "./worker-pool.js";

/** Creates a preparer that parses and chunks documents in threads and processes. */
export function pooledPreparer(options: PreparerOptions): Preparer {
  const inline = inlinePreparer(options);
  // Custom chunkers and parsers can't be sent to a worker, so they run on the caller's thread.
  if (options.chunker) return inline;
  const sizes = workerPoolSizes();
  const cpuPool = new WorkerPool(sizes.cpuBound, options);
  // With a token limit, preparation mostly waits for token counts, which queue behind texts to embed.
  const tokenPool = new WorkerPool(sizes.waiting, options);
  // A separate pool, so that documents waiting for a language model don't delay others.
  const modelPool = new WorkerPool(sizes.waiting, options);
  return {
    prepare(load, prepareOptions): Promise<PreparedDocument> {
      const usesModel = prepareOptions.parse.useLlm === true && options.languageModel !== null;
      const pool = usesModel ? modelPool : prepareOptions.chunk.maxTokens === null ? cpuPool : tokenPool;
      return pool.run(async ({ thread, process }) => {
        const file = new PeekableFile(await load(), prepareOptions.signal);
        try {
          const head = await file.peek();
          if (options.parsers.some((parser) => mayParse(parser, head)))
            return await inline.prepare(() => file.readAll(), prepareOptions);
          // For a language model, native code decodes the images in files of any format, so a process is needed.
          const slot = usesModel || file.size > MAX_THREAD_BYTES || needsSeparateProcess(head) ? process : thread;
          return await slot.prepare(file, prepareOptions, options.timeoutMs);
        } finally {
          await file.close();
        }
      });
    },
    supports: inline.supports,
    fingerprint: inline.fingerprint,
    async close() {
      await Promise.all([cpuPool.close(), tokenPool.close(), modelPool.close()]);
    },
  };
}

function inlinePreparer(options: PreparerOptions): Preparer {
  const ask = options.languageModel?.ask;
  return {
    prepare: async (load, { parse: config, mainContent, chunk, firstPages, onPages, signal }) => {
      const parse = { config, mainContent, firstPages, onPages, signal, ask };
      const steps = { parse, chunk: { ...chunk, signal }, countAll: true };
      const file = new PeekableFile(await load(), signal);
      try {
        const document = await parseAndChunk(await file.readAll(), steps, options);
        if (options.chunker) assertCells(document.chunks);
        return document;
      } finally {
        await file.close();
      }
    },
    supports: (fileName, mimeType) => canParse(fileName, mimeType, options.parsers),
    fingerprint: (config) => preparationFingerprint(options, config),
    async close() {},
  };
}
