import PQueue from "p-queue";

export interface PermitOptions {
  /** Leaves the queue when it is aborted, with the signal's reason. It doesn't end a task that runs already. */
  readonly signal?: AbortSignal | undefined;
  /** Permits of a higher priority are given first. @default 0 */
  readonly priority?: number;
}

/** Lets a number of tasks run at a time; the others wait in their order. */
export class Semaphore {
  readonly #queue: PQueue;

  /** @param permits Tasks at a time */
  constructor(permits: number) {
    this.#queue = new PQueue({ concurrency: permits });
  }

  /** @throws what the signal was aborted with, if that happens before the task begins */
  async run<Result>(task: () => Promise<Result>, options: PermitOptions = {}): Promise<Result> {
    const release = await this.acquire(options);
    try {
      return await task();
    } finally {
      release();
    }
  }

  /** Waits for a permit and returns what gives it back, once. Rejects as `run` does. */
  acquire({ signal, priority = 0 }: PermitOptions = {}): Promise<() => void> {
    // The queue gives an aborted task's permit away while the task still runs: it must see no abort after the start.
    const waiting = new AbortController();
    const leave = () => waiting.abort(signal?.reason);
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave, { once: true });
    return new Promise((resolve, reject) => {
      const hold = () => {
        signal?.removeEventListener("abort", leave);
        return new Promise<void>((release) => resolve(release));
      };
      this.#queue.add(hold, { priority, signal: waiting.signal }).catch(reject);
    });
  }
}
