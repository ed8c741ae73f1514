import { KnowledgeBaseError } from "../errors.js";
import { Semaphore } from "../util/semaphore.js";
import type { PreparerOptions } from "./preparer-options.js";
import { processHost, threadHost } from "./worker-host.js";
import { DOCUMENTS_PER_PROCESS } from "./worker-limits.js";
import { WorkerSlot } from "./worker-slot.js";

/** A thread and a process, one of which parses a document, depending on its file. Each starts on first use. */
interface WorkerPair {
  readonly thread: WorkerSlot;
  readonly process: WorkerSlot;
}

/** A fixed number of worker pairs. Each serves one caller at a time; callers queue in order of arrival. */
export class WorkerPool {
  readonly #pairs: readonly WorkerPair[];
  readonly #idle: WorkerPair[];
  readonly #permits: Semaphore;
  #isClosed = false;

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
      if (this.#isClosed) throw new KnowledgeBaseError("closed", "The knowledge base is closed.");
      const pair = this.#idle.pop()!;
      try {
        return await work(pair);
      } finally {
        this.#idle.push(pair);
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#pairs.flatMap(({ thread, process }) => [thread.close(), process.close()]));
  }
}
