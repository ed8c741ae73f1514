import { getErrorMessage, KnowledgeBaseError } from "../../../errors.js";
import { openThread, type Thread } from "../../../rpc/open-thread.js";
import { RpcPeer } from "../../../rpc/rpc-peer.js";
import type { CallOptions } from "../../../types.js";
import { abortable } from "../../../util/abortable.js";
import type { SearchCalls, SearchThreadSettings } from "./search-thread.js";

type Verb = Exclude<keyof SearchCalls, "close">;

/** A thread that runs searches or maintenance. It starts with its first call, and keeps the process alive during calls. */
export class SearchThread {
  readonly #settings: SearchThreadSettings;
  #running: { readonly thread: Thread; readonly peer: RpcPeer<SearchCalls> } | null = null;
  #pending = 0;
  /** The error of all further calls; `null` if they are accepted. */
  #refusal: KnowledgeBaseError | null = null;

  constructor(settings: SearchThreadSettings) {
    this.#settings = settings;
  }

  get isStarted(): boolean {
    return this.#running !== null;
  }

  call<Name extends Verb>(
    name: Name,
    input: Parameters<SearchCalls[Name]>[0],
    { signal }: CallOptions = {},
  ): Promise<Awaited<ReturnType<SearchCalls[Name]>>> {
    const result = this.#call(name, input, signal) as Promise<Awaited<ReturnType<SearchCalls[Name]>>>;
    return signal ? abortable(result, signal) : result;
  }

  /** Refuses all further calls with an error. */
  refuse(error: KnowledgeBaseError): void {
    this.#refusal = error;
  }

  /** Completes pending calls, and ends the thread. */
  async close(): Promise<void> {
    this.refuse(new KnowledgeBaseError("store_failed", "The database is closed."));
    if (!this.#running) return;
    const { thread, peer } = this.#running;
    thread.ref();
    await peer.call("close", {});
    await thread.terminate();
  }

  async #call(name: Verb, input: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.#refusal) throw this.#refusal;
    this.#running ??= this.#start();
    const { thread, peer } = this.#running;
    if (this.#pending++ === 0) thread.ref();
    try {
      return await peer.call(name, input as never);
    } finally {
      if (--this.#pending === 0) thread.unref();
    }
  }

  #start(): { readonly thread: Thread; readonly peer: RpcPeer<SearchCalls> } {
    const entry = new URL("./search-thread.js", import.meta.url);
    const thread = openThread(
      { entry, name: "search", workerData: this.#settings },
      {
        onMessage: (message) => peer.receive(message),
        onExit: (crash) => {
          this.#running = null;
          peer.close(threadLost(crash));
        },
      },
    );
    const peer = new RpcPeer<SearchCalls>(thread.post);
    return { thread, peer };
  }
}

function threadLost(crash: unknown): KnowledgeBaseError {
  const reason = crash === undefined ? "it ended without an error" : getErrorMessage(crash);
  const message = `The search thread was lost during the call: ${reason}. The next call starts a new one.`;
  return new KnowledgeBaseError("store_failed", message, { retryable: true, cause: crash });
}
