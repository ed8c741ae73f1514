import type { DoneOptions } from "./ingest-run.js";

interface Run {
  done(options?: DoneOptions): Promise<unknown>;
}

type ResultOf<R extends Run> = Awaited<ReturnType<R["done"]>>;

/**
 * A promise of a run, with a `done` method that waits for the end of the run.
 *
 * @example
 * const job = await handbook.ingest({ file: "handbook.pdf" }).done({ throwOnFailure: true });
 * const run = await handbook.ingest({ file: "handbook.pdf" });
 */
export class PendingRun<R extends Run> extends Promise<R> {
  /** `then`, `catch` and `finally` return ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Calls `start` at once. The promise rejects with the error of `start`. */
  static of<R extends Run>(start: () => Promise<R>): PendingRun<R> {
    return new PendingRun<R>((resolve, reject) => void start().then(resolve, reject));
  }

  /** Waits until the run has started and ended, and returns the result of its `done`. */
  async done(options: DoneOptions = {}): Promise<ResultOf<R>> {
    const run = await this;
    return (await run.done(options)) as ResultOf<R>;
  }
}
