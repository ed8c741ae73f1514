import { openThread, type Thread, type ThreadOptions } from "./open-thread.js";
import { type Input, type Operations, type Output, RpcPeer } from "./rpc-peer.js";

export interface RpcThreadOptions extends ThreadOptions {
  /** The operations that the thread may call. */
  readonly handlers?: Operations<object> | undefined;
  /**
   * Creates the error for a call whose thread ended.
   * @param crash What the thread threw, if anything.
   */
  toError(crash: unknown): Error;
  onExit?(): void;
}

/** A worker thread that answers one call at a time. It keeps the process alive only during a call. */
export class RpcThread<Remote extends Operations<Remote>> {
  readonly #thread: Thread;
  readonly #peer: RpcPeer<Remote>;

  constructor({ handlers, toError, onExit, ...options }: RpcThreadOptions) {
    this.#thread = openThread(options, {
      onMessage: (message) => this.#peer.receive(message),
      onExit: (crash) => {
        this.#peer.close(toError(crash));
        onExit?.();
      },
    });
    this.#peer = new RpcPeer(this.#thread.post, handlers);
  }

  /** @param transfer Buffers of the input to move. */
  call<Name extends keyof Remote & string>(
    name: Name,
    input: Input<Remote[Name]>,
    transfer?: readonly ArrayBuffer[],
  ): Promise<Output<Remote[Name]>> {
    this.#thread.ref();
    return this.#peer.call(name, input, transfer).finally(() => this.#thread.unref());
  }

  /** Lets the process exit even though the call is still running. */
  abandon(): void {
    this.#thread.unref();
  }

  /** Rejects the running call with the reason at once; resolves when the thread has ended. */
  async terminate(reason: unknown): Promise<void> {
    this.#peer.close(reason);
    await this.#thread.terminate();
  }
}
