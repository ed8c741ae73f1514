import { fromWireError, toWireError, type WireError } from "./wire-error.js";

/** Operations by name: each takes one input and returns one output or a promise of it, both cloneable. */
export type Operations<Names> = { [Name in keyof Names]: (input: never) => unknown };

export type Input<Operation> = Operation extends (input: infer Value) => unknown ? Value : never;

export type Output<Operation> = Operation extends (input: never) => infer Value ? Awaited<Value> : never;

export type RpcMessage =
  | {
      readonly kind: "call";
      /** `null` if no reply is expected. */
      readonly id: number | null;
      readonly name: string;
      readonly input: unknown;
    }
  | { readonly kind: "reply"; readonly id: number; readonly output: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: WireError };

/** @param transfer Buffers to move instead of copying, where the channel supports it. */
export type PostMessage = (message: RpcMessage, transfer: readonly ArrayBuffer[]) => void;

type AnyHandlers = Readonly<Record<string, (input: unknown) => unknown>>;

interface PendingCall {
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

/** One end of a message channel between threads or processes. Both ends may call each other, any number at a time. */
export class RpcPeer<Remote extends Operations<Remote>> {
  readonly #post: PostMessage;
  readonly #handlers: AnyHandlers;
  readonly #pending = new Map<number, PendingCall>();
  #nextId = 0;
  /** The error with which the peer was closed; `null` while it is open. */
  #closed: { readonly error: unknown } | null = null;

  /** @param handlers The operations that the other end may call. */
  constructor(post: PostMessage, handlers: Operations<object> = {}) {
    this.#post = post;
    this.#handlers = handlers as AnyHandlers;
  }

  /**
   * Calls an operation of the other end.
   *
   * @param transfer Buffers of the input to move.
   * @throws KnowledgeBaseError the handler's error, without `retryAfterMs`, `deferred` and `httpStatus`
   * @throws the error that the peer was closed with
   */
  call<Name extends keyof Remote & string>(
    name: Name,
    input: Input<Remote[Name]>,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<Output<Remote[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(this.#closed.error);
      const id = this.#nextId++;
      this.#pending.set(id, { resolve: resolve as PendingCall["resolve"], reject });
      try {
        this.#post({ kind: "call", id, name, input }, transfer);
      } catch (error) {
        this.#pending.delete(id);
        reject(error);
      }
    });
  }

  /** Calls an operation without waiting for a reply. */
  notify<Name extends keyof Remote & string>(name: Name, input: Input<Remote[Name]>): void {
    this.#post({ kind: "call", id: null, name, input }, []);
  }

  /** Handles a message from the other end. */
  receive(message: RpcMessage): void {
    if (message.kind !== "call") this.#settle(message);
    else if (message.id === null) this.#handlers[message.name]!(message.input);
    else void this.#handle(message.id, message.name, message.input);
  }

  /** Rejects pending and later calls with the error, and stops replying to the other end. */
  close(error: unknown): void {
    this.#closed ??= { error };
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  #settle(message: Exclude<RpcMessage, { kind: "call" }>): void {
    const call = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === "reply") call?.resolve(message.output);
    else call?.reject(fromWireError(message.error));
  }

  async #handle(id: number, name: string, input: unknown): Promise<void> {
    try {
      const output = await this.#handlers[name]!(input);
      if (!this.#closed) this.#post({ kind: "reply", id, output }, buffersOf(output));
    } catch (error) {
      if (!this.#closed) this.#post({ kind: "error", id, error: toWireError(error) }, []);
    }
  }
}

/** Returns the buffers of a typed array, or of those in an object's fields, if the arrays span their whole buffers. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  if (typeof value !== "object" || value === null) return [];
  const views = ArrayBuffer.isView(value) ? [value] : Object.values(value).filter(ArrayBuffer.isView);
  return views.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
}
