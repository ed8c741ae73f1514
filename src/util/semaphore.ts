import PQueue from "p-queue";

export interface PermitOptions {
  /** Removes a waiting task from the queue; the call rejects with the signal's reason. Doesn't end a running task. */
  readonly signal?: AbortSignal | undefined;
  /** Tasks with a higher priority run first. @default 0 */
  readonly priority?: number;
}

/** Limits how many tasks run at a time; the others wait, in order. */
export class Semaphore {
  readonly #queue: PQueue;

  /** @param permits Maximum number of tasks at a time. */
  constructor(permits: number) {
    this.#queue = new PQueue({ concurrency: permits });
  }

  /** @throws the signal's reason if it is aborted before the task starts */
  async run<Result>(task: () => Promise<Result>, options: PermitOptions = {}): Promise<Result> {
    const release = await this.acquire(options);
    try {
      return await task();
    } finally {
      release();
    }
  }

  /** Waits for a permit and returns a function that releases it. Rejects as `run` does. */
  acquire({ signal, priority = 0 }: PermitOptions = {}): Promise<() => void> {
    // The queue gives an aborted task's permit away while the task still runs, so it must see no abort after the start.
    const waiting = new AbortController();
    const stopWaiting = () => waiting.abort(signal?.reason);
    if (signal?.aborted) stopWaiting();
    signal?.addEventListener("abort", stopWaiting, { once: true });
    return new Promise((resolve, reject) => {
      const hold = () => {
        signal?.removeEventListener("abort", stopWaiting);
        return new Promise<void>((release) => resolve(release));
      };
      this.#queue.add(hold, { priority, signal: waiting.signal }).catch(reject);
    });
  }
}
