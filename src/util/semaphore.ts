/** Lets a number of tasks run at a time; the others wait in their order. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws what the signal was aborted with, where that happens before its turn */
  async run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const leave = await this.take(signal);
    try {
      return await task();
    } finally {
      leave();
    }
  }

  /** Waits for a lane and returns what gives it back, once. Rejects as `run` does. */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(signal?.reason);
      };
      this.#waiting.push(take);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }
}
