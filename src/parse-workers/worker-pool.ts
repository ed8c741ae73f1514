import { KnowledgeBaseError } from "../errors.js";
import { Semaphore } from "../util/semaphore.js";
import type { PreparerOptions } from "./preparer-options.js";
import { processHost, threadHost } from "./worker-host.js";
import { WorkerSlot } from "./worker-slot.js";

/** A process is replaced after this many documents. */
const DOCUMENTS_PER_PROCESS = 100;

/** One document's capacity: a thread or a process, as the file requires. Each starts on first use. */
interface WorkerPair {
  readonly thread: WorkerSlot;
  readonly process: WorkerSlot;
}

/** A fixed number of worker pairs, each lent to one caller at a time, in order of arrival. */
export class WorkerPool {
  readonly #pairs: readonly WorkerPair[];
  readonly #idle: WorkerPair[];
  readonly #permits: Semaphore;
  #closed = false;

  constructor(size: number, { maxMemoryBytes, languageModel }: PreparerOptions) {
    const openThread = threadHost(new URL("./thread.js", import.meta.url));
    const openProcess = processHost(new URL("./process.js", import.meta.url), { maxBytes: maxMemoryBytes });
    this.#pairs = Array.from({ length: size }, () => ({
      thread: new WorkerSlot(openThread),
      process: new WorkerSlot(openProcess, { maxDocuments: DOCUMENTS_PER_PROCESS, ask: languageModel?.ask ?? null }),
    }));
    this.#idle = [...this.#pairs];
    this.#permits = new Semaphore(size);
  }

  run<Result>(work: (pair: WorkerPair) => Promise<Result>): Promise<Result> {
    return this.#permits.run(async () => {
      if (this.#closed) throw new KnowledgeBaseError("closed", "The knowledge base is closed.");
      const pair = this.#idle.pop()!;
      try {
        return await work(pair);
      } finally {
        this.#idle.push(pair);
      }
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#pairs.flatMap(({ thread, process }) => [thread.close(), process.close()]));
  }
}
