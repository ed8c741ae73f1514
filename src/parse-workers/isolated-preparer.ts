import { availableParallelism } from "node:os";
import { structureChunker } from "../chunkers/structure-chunker.js";
import { KnowledgeBaseError } from "../errors.js";
import { canParse, claims } from "../parsers/can-parse.js";
import { needsProcess } from "../parsers/needs-process.js";
import { Semaphore } from "../util/semaphore.js";
import { parseAndChunk } from "./parse-and-chunk.js";
import { preparationRules } from "./preparation-rules.js";
import type { PreparedDocument, Preparer } from "./preparer.js";
import type { PreparerOptions } from "./preparer-options.js";
import { UnreadFile } from "./unread-file.js";
import { processWorkplace, threadWorkplace } from "./worker-host.js";
import { PreparationSeat } from "./worker-slot.js";

/**
 * Larger files are parsed in a process: a thread's Buffers are bounded by nothing but the size of what it reads. The worst text of
 * this size takes some 40 MB.
 */
const MAX_THREAD_BYTES = 256 * 1024;

/** A process that has parsed this many documents is replaced. */
const PROCESS_LIFETIME = 100;

/** Parses and chunks away from the caller's thread, as many documents at a time as there are places. */
export function isolatedPreparer(options: PreparerOptions): Preparer {
  const inline = inlinePreparer(options);
  // What the caller wrote cannot be sent anywhere, so it runs where it was written: a chunker all documents, a parser its own.
  if (options.chunker) return inline;
  const cores = Math.min(4, availableParallelism());
  const busy = new Places(cores, options);
  // A document whose chunks are measured in tokens mostly waits, behind texts that are being embedded: more of them fit.
  const waiting = new Places(2 * cores, options);
  // Whoever waits for a language model holds up nobody else.
  const asking = new Places(2 * cores, options);
  return {
    prepare(load, prepareOptions): Promise<PreparedDocument> {
      const isShown = prepareOptions.parse.useLlm === true && options.languageModel !== null;
      const places = isShown ? asking : prepareOptions.chunk.maxTokens === null ? busy : waiting;
      return places.run(async ({ thread, process }) => {
        const file = new UnreadFile(await load(), prepareOptions.signal);
        try {
          const head = await file.head();
          if (options.parsers.some((parser) => claims(parser, head)))
            return await inline.prepare(() => file.whole(), prepareOptions);
          // Pictures that a model is to be shown are decoded by native code, whatever they stand in.
          const seat = isShown || file.size > MAX_THREAD_BYTES || needsProcess(head) ? process : thread;
          return await seat.prepare(file, prepareOptions, options.timeoutMs);
        } finally {
          await file.close();
        }
      });
    },
    handles: inline.handles,
    rules: inline.rules,
    async close() {
      await Promise.all([busy.close(), waiting.close(), asking.close()]);
    },
  };
}

/** Room for one document: the file decides whether a thread will do for it. Each starts when it is first used. */
interface Place {
  readonly thread: PreparationSeat;
  readonly process: PreparationSeat;
}

/** Hands places out, one caller at a time. */
class Places {
  readonly #all: readonly Place[];
  readonly #idle: Place[];
  readonly #permits: Semaphore;
  #closed = false;

  constructor(size: number, { maxMemoryBytes, languageModel }: PreparerOptions) {
    const openThread = threadWorkplace(new URL("./thread.js", import.meta.url));
    const openProcess = processWorkplace(new URL("./process.js", import.meta.url), { maxBytes: maxMemoryBytes });
    this.#all = Array.from({ length: size }, () => ({
      thread: new PreparationSeat(openThread),
      process: new PreparationSeat(openProcess, { lifetime: PROCESS_LIFETIME, ask: languageModel?.ask ?? null }),
    }));
    this.#idle = [...this.#all];
    this.#permits = new Semaphore(size);
  }

  run<Result>(work: (place: Place) => Promise<Result>): Promise<Result> {
    return this.#permits.run(async () => {
      if (this.#closed) throw new KnowledgeBaseError("closed", "The knowledge base is closed.");
      const place = this.#idle.pop()!;
      try {
        return await work(place);
      } finally {
        this.#idle.push(place);
      }
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#all.flatMap(({ thread, process }) => [thread.close(), process.close()]));
  }
}

function inlinePreparer(options: PreparerOptions): Preparer {
  const drivers = { parsers: options.parsers, chunker: options.chunker ?? structureChunker };
  const ask = options.languageModel?.ask;
  return {
    prepare: async (load, { parse, mainContent, chunk, signal }) => {
      const steps = { parse: { config: parse, mainContent, signal, ask }, chunk: { ...chunk, signal }, countAll: true };
      const file = new UnreadFile(await load(), signal);
      try {
        return await parseAndChunk(await file.whole(), steps, drivers);
      } finally {
        await file.close();
      }
    },
    handles: (fileName, mimeType) => canParse(fileName, mimeType, options.parsers),
    rules: (config) => preparationRules(options, config),
    async close() {},
  };
}
