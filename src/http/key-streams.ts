import type { ApiKey, ApiKeyScope } from "../index.js";
import { includesScope } from "./authenticate.js";
import { endEventStream, isEventStream } from "./end-event-stream.js";

/** Together with the two seconds of the key cache, a stream ends within five seconds of its key's revocation. */
const CHECK_INTERVAL_MS = 2000;

export interface KeyStreamsOptions {
  /** Returns the keys that are still valid. */
  readonly find: (ids: readonly string[]) => Promise<readonly Pick<ApiKey, "id" | "scope">[]>;
  /** Called when checks start to fail, and not again until one has succeeded. The streams stay open. */
  readonly onError: (error: unknown, requestId: string) => void;
  /** @default 2000 */
  readonly checkIntervalMs?: number;
}

/** The API key of a stream's request. */
export interface StreamKey {
  readonly requestId: string;
  readonly id: string;
  /** The scope that the operation needs. */
  readonly required: ApiKeyScope;
}

interface OpenStream extends StreamKey {
  readonly abort: AbortController;
}

/**
 * Ends event streams whose API key has been revoked or has lost the scope. Another process may revoke keys, so this
 * polls the database, with one query for all open streams and none without streams.
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

  /** Returns the same response. If it is an event stream, it ends with `lastMessage` once the key is invalid. */
  watch(response: Response, key: StreamKey, lastMessage: () => Uint8Array): Response {
    if (!isEventStream(response)) return response;
    const stream: OpenStream = { ...key, abort: new AbortController() };
    this.#open.add(stream);
    this.#timer ??= setInterval(() => void this.#check(), this.#options.checkIntervalMs ?? CHECK_INTERVAL_MS).unref();
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
      for (const { id, required, abort } of streams) {
        const scope = scopes.get(id);
        if (scope === undefined || !includesScope(scope, required)) abort.abort();
      }
    } catch (error) {
      const isFirst = !this.#failing;
      this.#failing = true;
      if (isFirst) this.#options.onError(error, streams[0]?.requestId ?? "");
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
