import type { ApiKey, ApiKeyScope } from "../index.js";
import { includesScope } from "./authenticate.js";
import { endEventStream, isEventStream } from "./end-event-stream.js";

/** The interval of checks. With the key cache's two seconds, a stream ends within five seconds of a revocation. */
const CHECK_INTERVAL_MS = 2000;

export interface KeyStreamsOptions {
  /** Returns the keys that are still valid. */
  readonly find: (ids: readonly string[]) => Promise<readonly Pick<ApiKey, "id" | "scope">[]>;
  /** Called when a check fails, but not again until a check has succeeded. The streams stay open. */
  readonly onError: (error: unknown, requestId: string) => void;
  /** @default 2000 */
  readonly checkIntervalMs?: number;
}

/** The API key of a stream's request, and what the request needs. */
export interface StreamKey {
  readonly requestId: string;
  readonly keyId: string;
  readonly requiredScope: ApiKeyScope;
}

interface OpenStream extends StreamKey {
  readonly controller: AbortController;
}

/**
 * Ends event streams whose API key has been revoked or has lost the required scope. Another process may revoke keys, so
 * this polls the database: with one query for all open streams, and only while streams are open.
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

  /** Returns an equal response whose event stream, if it is one, ends with `lastMessage` once the key is invalid. */
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
      const keys = await this.#options.find([...new Set(streams.map(({ keyId }) => keyId))]);
      this.#isFailing = false;
      const scopes = new Map(keys.map(({ id, scope }) => [id, scope]));
      for (const { keyId, requiredScope, controller } of streams) {
        const scope = scopes.get(keyId);
        if (scope === undefined || !includesScope(scope, requiredScope)) controller.abort();
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
