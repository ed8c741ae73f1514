import type { ApiKey, ApiKeyScope } from "../index.js";
import { endEventStream, isEventStream } from "./end-event-stream.js";
import { includesScope } from "./includes-scope.js";

/** With the two seconds for which a key's check is cached, a stream ends within five seconds of its key's revocation. */
const CHECK_EVERY_MS = 2000;

export interface KeyStreamsOptions {
  /** Finds those of the keys that are still valid. */
  readonly find: (ids: readonly string[]) => Promise<readonly Pick<ApiKey, "id" | "scope">[]>;
  /** Called when checks begin to fail, and not again until one has succeeded. The streams stay open meanwhile. */
  readonly onError: (error: unknown, requestId: string) => void;
  /** @default 2000 */
  readonly checkEveryMs?: number;
}

/** What let a stream's request in. */
export interface StreamKey {
  readonly requestId: string;
  readonly id: string;
  /** The scope that the operation needs. */
  readonly needed: ApiKeyScope;
}

interface OpenStream extends StreamKey {
  readonly abort: AbortController;
}

/**
 * Ends event streams whose API key has been revoked or no longer has the scope. Keys may be revoked by another process, so the database
 * is asked: one query at a time for all open streams, and none while there are none.
 */
export class KeyStreams {
  readonly #options: KeyStreamsOptions;
  readonly #open = new Set<OpenStream>();
  #timer: NodeJS.Timeout | null = null;
  #checking = false;
  #failing = false;

  constructor(options: KeyStreamsOptions) {
    this.#options = options;
  }

  /** The same response; a stream of events ends with `lastMessage` once the key is no longer valid. */
  watch(response: Response, key: StreamKey, lastMessage: () => Uint8Array): Response {
    if (!isEventStream(response)) return response;
    const stream: OpenStream = { ...key, abort: new AbortController() };
    this.#open.add(stream);
    this.#timer ??= setInterval(() => void this.#check(), this.#options.checkEveryMs ?? CHECK_EVERY_MS).unref();
    return endEventStream(response, {
      signal: stream.abort.signal,
      lastMessage,
      onEnd: () => this.#close(stream),
    });
  }

  async #check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const streams = [...this.#open];
    try {
      const keys = await this.#options.find([...new Set(streams.map(({ id }) => id))]);
      this.#failing = false;
      const scopes = new Map(keys.map(({ id, scope }) => [id, scope]));
      for (const { id, needed, abort } of streams) {
        const scope = scopes.get(id);
        if (scope === undefined || !includesScope(scope, needed)) abort.abort();
      }
    } catch (error) {
      const isNew = !this.#failing;
      this.#failing = true;
      if (isNew) this.#options.onError(error, streams[0]?.requestId ?? "");
    } finally {
      this.#checking = false;
    }
  }

  #close(stream: OpenStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
