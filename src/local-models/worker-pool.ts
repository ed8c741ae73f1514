import { KnowledgeBaseError } from "../errors.js";
import type { Handlers, Input, Output } from "./handlers.js";
import { type Task, WorkerThread } from "./worker-thread.js";

export interface WorkerPoolOptions {
  /** Module that each thread runs; it calls `serve` with the pool's operations. */
  readonly entry: URL;
  /** For error messages and process listings. */
  readonly name: string;
  /** Most threads. */
  readonly size: number;
  /** Cloned into each thread as its `workerData`. */
  readonly workerData?: unknown;
  /** Hears what threads `emit`. */
  onEvent?(event: unknown): void;
}

export interface RunOptions {
  /** Ends the call early with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Goes ahead of every waiting call that is not urgent. @default false */
  readonly urgent?: boolean;
}

export interface RunEachOptions<Value> extends RunOptions {
  onOutput?(output: Value, index: number): void;
}

/**
 * Spreads calls over worker threads, each thread doing one at a time. Threads start when a call finds none idle, stay
 * for the next call, and are replaced when they crash: only the call that a thread was at fails with it.
 */
export class WorkerPool<Operations extends Handlers<Operations>> {
  readonly #options: WorkerPoolOptions;
  readonly #threads = new Set<WorkerThread>();
  readonly #idle: WorkerThread[] = [];
  readonly #urgent = new Set<Task>();
  readonly #waiting = new Set<Task>();
  readonly #running = new Map<WorkerThread, Task>();
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Threads that are alive. */
  get size(): number {
    return this.#threads.size;
  }

  /** Runs one call. Fails with `provider_failed` when its thread is lost, and `closed` after `close`. */
  async run<Name extends keyof Operations & string>(
    operation: Name,
    input: Input<Operations[Name]>,
    options: RunOptions = {},
  ): Promise<Output<Operations[Name]>> {
    const [output] = await this.runEach(operation, [input], options);
    return output as Output<Operations[Name]>;
  }

  /**
   * Runs a call for each input, as many at a time as there are threads, begun in their order; the outputs in order.
   * `onOutput` hears each as it comes. The first failure ends all.
   */
  async runEach<Name extends keyof Operations & string>(
    operation: Name,
    inputs: readonly Input<Operations[Name]>[],
    { signal, urgent = false, onOutput }: RunEachOptions<Output<Operations[Name]>> = {},
  ): Promise<Output<Operations[Name]>[]> {
    signal?.throwIfAborted();
    if (this.#closed) throw this.#closedError();
    const tasks: Task[] = [];
    let onAbort: (() => void) | undefined;
    try {
      const outputs = inputs.map(
        (input, index) =>
          new Promise<unknown>((settle, reject) => {
            const resolve = (output: unknown) => {
              onOutput?.(output as Output<Operations[Name]>, index);
              settle(output);
            };
            tasks.push({ operation, input, resolve, reject });
          }),
      );
      onAbort = () => {
        for (const task of tasks) task.reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      for (const task of tasks) (urgent ? this.#urgent : this.#waiting).add(task);
      this.#dispatch();
      return (await Promise.all(outputs)) as Output<Operations[Name]>[];
    } catch (error) {
      this.#forget(tasks);
      throw error;
    } finally {
      if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends every thread; calls that are under way fail with `closed`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const task of [...this.#urgent, ...this.#waiting, ...this.#running.values()]) task.reject(this.#closedError());
    this.#urgent.clear();
    this.#waiting.clear();
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  #dispatch(): void {
    while (!this.#closed) {
      const queue = this.#urgent.size > 0 ? this.#urgent : this.#waiting;
      const [task] = queue;
      if (task === undefined) return;
      const thread = this.#idle.pop() ?? this.#start();
      if (thread === null) return;
      queue.delete(task);
      this.#running.set(thread, task);
      thread.run(task);
    }
  }

  #start(): WorkerThread | null {
    const { entry, name, size, workerData } = this.#options;
    if (this.#threads.size >= size) return null;
    const thread = new WorkerThread({
      entry,
      name,
      workerData,
      onEvent: (event) => this.#options.onEvent?.(event),
      onIdle: (idle) => {
        this.#running.delete(idle);
        this.#idle.push(idle);
        this.#dispatch();
      },
      onEnd: (ended) => {
        this.#threads.delete(ended);
        this.#running.delete(ended);
        const at = this.#idle.indexOf(ended);
        if (at >= 0) this.#idle.splice(at, 1);
        this.#dispatch();
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  #forget(tasks: readonly Task[]): void {
    for (const task of tasks) {
      this.#urgent.delete(task);
      this.#waiting.delete(task);
    }
    const forgotten = new Set(tasks);
    for (const [thread, task] of this.#running) if (forgotten.has(task)) thread.abandon(task);
  }

  #closedError(): KnowledgeBaseError {
    return new KnowledgeBaseError("closed", `The ${this.#options.name} pool has been closed.`);
  }
}
