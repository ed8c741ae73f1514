import type { FetchResult } from "./fetch-page.js";
import type { FrontierPage } from "./frontier.js";

/** Larger results are fetched again. */
const MAX_RESULT_BYTES = 1024 * 1024;

/**
 * The results that were fetched but not recorded when a crawl was paused. Without the buffer, a crawl that pauses more
 * often than its rate limit allows requests would never make progress.
 */
export class ResponseBuffer {
  readonly #results = new Map<string, FetchResult>();

  get bytes(): number {
    return [...this.#results.values()].reduce((sum, result) => sum + sizeOf(result), 0);
  }

  /**
   * Keeps a result of up to 1 MB, or of any size if it is the next to be recorded, since recording it may have to wait
   * for other requests.
   */
  put({ key }: FrontierPage, result: FetchResult, { isNext }: { readonly isNext: boolean }): void {
    if (isNext || sizeOf(result) <= MAX_RESULT_BYTES) this.#results.set(key, result);
  }

  take({ key, previous }: FrontierPage): FetchResult | undefined {
    const result = this.#results.get(key);
    this.#results.delete(key);
    // The document may have been deleted since the fetch.
    return result?.kind === "unchanged" && previous === null ? undefined : result;
  }
}

function sizeOf(result: FetchResult): number {
  return result.kind === "page" || result.kind === "file" ? result.page.bytes.length : 0;
}
