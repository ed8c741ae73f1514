import type { DoneOptions } from "./ingest-run.js";

interface Run {
  done(options?: DoneOptions): Promise<unknown>;
}

type ResultOf<R extends Run> = Awaited<ReturnType<R["done"]>>;

/**
 * Work that is being queued: a promise of its run, on which the end of the run can be awaited at once.
 *
 * @example
 * const job = await handbook.ingest({ file: "handbook.pdf" }).done({ throwOnFailure: true });
 * const run = await handbook.ingest({ file: "handbook.pdf" });
 */
export class PendingRun<R extends Run> extends Promise<R> {
  /** `then`, `catch` and `finally` give ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Begins work at once; what it throws becomes the rejection. */
  static of<R extends Run>(start: () => Promise<R>): PendingRun<R> {
    return new PendingRun<R>((resolve, reject) => void start().then(resolve, reject));
  }

  /** Waits until the work is queued and its run has ended, as the run's own `done` does, and fails where either fails. */
  async done(options: DoneOptions = {}): Promise<ResultOf<R>> {
    const run = await this;
    return (await run.done(options)) as ResultOf<R>;
  }
}
