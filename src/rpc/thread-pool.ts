import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import { Semaphore } from "../util/semaphore.js";
import { unlimitedListeners } from "../util/unlimited-listeners.js";
import type { ThreadOptions } from "./open-thread.js";
import type { Input, Operations, Output } from "./rpc-peer.js";
import { RpcThread } from "./rpc-thread.js";

export interface ThreadPoolOptions extends ThreadOptions {
  /** Maximum number of threads. */
  readonly maxThreads: number;
  /** The operations that threads may call. */
  readonly handlers?: Operations<object> | undefined;
}

export interface RunOptions {
  /** Rejects the call with the signal's reason when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the call goes ahead of waiting calls that are not urgent. @default false */
  readonly urgent?: boolean;
}

export interface RunEachOptions<Value> extends RunOptions {
  onOutput?(output: Value, index: number): void;
}

/**
 * Distributes calls among worker threads that `serve` the operations, one call at a time per thread. A call that finds
 * no idle thread starts one, which stays for later calls. If a thread crashes, only its call fails.
 */
export class ThreadPool<Remote extends Operations<Remote>> {
  readonly #options: ThreadPoolOptions;
  readonly #permits: Semaphore;
  readonly #threads = new Set<RpcThread<Remote>>();
  #idle: RpcThread<Remote>[] = [];
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#permits = new Semaphore(options.maxThreads);
  }

  /** Number of running threads. */
  get size(): number {
    return this.#threads.size;
  }

  /**
   * Runs a call on a thread.
   * @throws KnowledgeBaseError `provider_failed` if the thread crashes, `closed` after `close`
   */
  run<Name extends keyof Remote & string>(
    name: Name,
    input: Input<Remote[Name]>,
    { signal, urgent = false }: RunOptions = {},
  ): Promise<Output<Remote[Name]>> {
    return new Promise((resolve, reject) => {
      const call = async () => {
        signal?.throwIfAborted();
        const thread = this.#takeThread();
        const onAbort = () => {
          thread.abandon();
          reject(signal?.reason);
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        try {
          resolve(await thread.call(name, input));
        } finally {
          signal?.removeEventListener("abort", onAbort);
          if (this.#threads.has(thread)) this.#idle.push(thread);
        }
      };
      // An abandoned call keeps its permit until the thread is idle again.
      this.#permits.run(call, { signal, priority: urgent ? 1 : 0 }).catch(reject);
    });
  }

  /**
   * Runs a call for each input, started in order, and returns the outputs in order. `onOutput` receives each as it
   * arrives. The first failure aborts the other calls.
   */
  async runEach<Name extends keyof Remote & string>(
    name: Name,
    inputs: readonly Input<Remote[Name]>[],
    { signal, urgent, onOutput }: RunEachOptions<Output<Remote[Name]>> = {},
  ): Promise<Output<Remote[Name]>[]> {
    signal?.throwIfAborted();
    const controller = new AbortController();
    // Each waiting or running call adds a listener.
    unlimitedListeners(controller.signal);
    const onAbort = () => controller.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    const run = async (input: Input<Remote[Name]>, index: number) => {
      const output = await this.run(name, input, { signal: controller.signal, urgent: urgent ?? false });
      onOutput?.(output, index);
      return output;
    };
    try {
      return await Promise.all(inputs.map(run));
    } catch (error) {
      controller.abort(error);
      throw error;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends every thread; pending calls fail with `closed`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#threads, (thread) => thread.terminate(this.#closedError())));
  }

  /** Returns an idle thread or, if there is none, a new one. */
  #takeThread(): RpcThread<Remote> {
    if (this.#isClosed) throw this.#closedError();
    return this.#idle.pop() ?? this.#start();
  }

  #start(): RpcThread<Remote> {
    const { maxThreads: _, ...options } = this.#options;
    const thread: RpcThread<Remote> = new RpcThread({
      ...options,
      toError: (crash) => threadLostError(options.name, crash),
      onExit: () => {
        this.#threads.delete(thread);
        this.#idle = this.#idle.filter((idle) => idle !== thread);
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  #closedError(): KnowledgeBaseError {
    return new KnowledgeBaseError("closed", `The ${this.#options.name} pool has been closed.`);
  }
}

function threadLostError(name: string, crash: unknown): KnowledgeBaseError {
  const reason = crash === undefined ? "it ended without an error" : getErrorMessage(crash);
  const message = `The ${name} thread was lost during the call: ${reason}. The next call starts a new one.`;
  return new KnowledgeBaseError("provider_failed", message, { cause: crash, retryable: true });
}
