import type { ApiKey, ApiKeyScope } from "../index.js";
import { includesScope } from "./authenticate.js";
import { endEventStream, isEventStream } from "./end-event-stream.js";

/** With the two seconds of the key cache, a stream ends within five seconds after its key is revoked. */
const CHECK_INTERVAL_MS = 2000;

export interface KeyStreamsOptions {
  /** Returns the keys that are still valid. */
  readonly find: (ids: readonly string[]) => Promise<readonly Pick<ApiKey, "id" | "scope">[]>;
  /** Called when a check fails, but not again until one has succeeded. The streams stay open. */
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
  readonly controller: AbortController;
}

/**
 * Ends event streams whose API key has been revoked or has lost the scope. Another process may revoke keys, so this
 * polls the database: with one query for all open streams, and not at all if there are none.
 */
export class KeyStreams {
  readonly #options: KeyStreamsOptions;
  readonly #streams = new Set<OpenStream>();
  #timer: NodeJS.Timeout | null = null;
  #isChecking = false;
  #isFailing = false;

  constructor(options: KeyStreamsOptions) {
    this.#options = options;
  }

  /** Returns an equal response. If it is an event stream, it ends with `lastMessage` once the key is invalid. */
  watch(response: Response, key: StreamKey, lastMessage: () => Uint8Array): Response {
    if (!isEventStream(response)) return response;
    const stream: OpenStream = { ...key, controller: new AbortController() };
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => void this.#check(), this.#options.checkIntervalMs ?? CHECK_INTERVAL_MS).unref();
    return endEventStream(response, {
      signal: stream.controller.signal,
      lastMessage,
      onEnd: () => this.#close(stream),
    });
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const streams = [...this.#streams];
    try {
      const keys = await this.#options.find([...new Set(streams.map(({ id }) => id))]);
      this.#isFailing = false;
      const scopes = new Map(keys.map(({ id, scope }) => [id, scope]));
      for (const { id, required, controller } of streams) {
        const scope = scopes.get(id);
        if (scope === undefined || !includesScope(scope, required)) controller.abort();
      }
    } catch (error) {
      const isFirst = !this.#isFailing;
      this.#isFailing = true;
      if (isFirst) this.#options.onError(error, streams[0]?.requestId ?? "");
    } finally {
      this.#isChecking = false;
    }
  }

  #close(stream: OpenStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
