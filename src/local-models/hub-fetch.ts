import { getErrorMessage } from "../errors.js";
import type { ModelHub } from "./model-source.js";

/** Minimum bytes downloaded between two progress reports. */
const PROGRESS_BYTES = 1 << 18;

/** Progress of the download of one file of a model. */
export interface DownloadProgress {
  readonly model: string;
  readonly file: string;
  /** Bytes. */
  readonly loaded: number;
  /** Bytes; `null` while unknown. */
  readonly total: number | null;
}

export interface HubFetchOptions extends ModelHub {
  readonly model: string;
  onProgress(progress: DownloadProgress): void;
}

/**
 * A `fetch` for one model's files, with timeouts for the first byte and between bytes. It keeps the first failure,
 * because the library's errors may not mention the cause.
 */
export class HubFetch {
  readonly #options: HubFetchOptions;
  #failure: Error | null = null;

  constructor(options: HubFetchOptions) {
    this.#options = options;
  }

  /** The first failed request; `null` if there was none. */
  get failure(): Error | null {
    return this.#failure;
  }

  readonly fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { firstByteTimeoutMs } = this.#options;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(timeoutError(firstByteTimeoutMs)), firstByteTimeoutMs);
    try {
      const response = await fetch(input, { ...init, signal: controller.signal });
      const hasFile = response.status === 200 && response.body !== null;
      return hasFile ? this.#monitor(response, String(input), controller) : response;
    } catch (error) {
      throw this.#recordFailure(error);
    } finally {
      clearTimeout(timer);
    }
  };

  #monitor(response: Response, url: string, controller: AbortController): Response {
    const { idleTimeoutMs, model, onProgress } = this.#options;
    const file = decodeURIComponent(new URL(url).pathname.replace(/^.*\/resolve\/[^/]+\//, ""));
    const length = Number(response.headers.get("content-length"));
    const total = length > 0 && response.headers.get("content-encoding") === null ? length : null;
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let loaded = 0;
    let lastReported = 0;
    let isCancelled = false;
    const source: ConstructorParameters<typeof ReadableStream<Uint8Array>>[0] = {
      pull: async (stream) => {
        const timer = setTimeout(() => controller.abort(timeoutError(idleTimeoutMs)), idleTimeoutMs);
        try {
          const { done, value } = await reader.read();
          if (isCancelled) return;
          loaded += value?.length ?? 0;
          if (done || loaded - lastReported >= PROGRESS_BYTES) {
            onProgress({ model, file, loaded, total });
            lastReported = loaded;
          }
          if (done) stream.close();
          else stream.enqueue(value);
        } catch (error) {
          if (!isCancelled) stream.error(this.#recordFailure(error));
        } finally {
          clearTimeout(timer);
        }
      },
      cancel: (reason) => {
        isCancelled = true;
        return reader.cancel(reason);
      },
    };
    // Doesn't read ahead: the library requests some files only to see whether they exist.
    const body = new ReadableStream(source, { highWaterMark: 0 });
    return new Response(body, { status: response.status, headers: response.headers });
  }

  /** Keeps the first failure, and returns it. */
  #recordFailure(error: unknown): Error {
    // The message of `fetch` is only "fetch failed"; its cause names the host or the refused connection.
    const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error;
    this.#failure ??= new Error(getErrorMessage(cause), { cause });
    return this.#failure;
  }
}

function timeoutError(timeoutMs: number): Error {
  return new Error(`timed out after ${timeoutMs / 1000} s`);
}
