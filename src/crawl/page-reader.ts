import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { isAbortError, KnowledgeBaseError, messageOf } from "../errors.js";
import { Semaphore } from "../util/semaphore.js";
import type { ReceivedSitemap, Sitemap } from "./parse-sitemap.js";
import type { PageFacts, ReceivedPage } from "./read-page.js";

/** A page of 10 MB takes about ten seconds. */
const MAX_READ_MS = 30_000;
/** Enough for the elements of a page of 10 MB, except for pages of nothing but tags. */
const MAX_HEAP_MB = 384;
/** An idle thread ends by itself, so that no caller has to close the reader. */
const IDLE_MS = 10_000;

export type ThreadTask =
  | { readonly page: ReceivedPage; readonly sitemap?: undefined }
  | { readonly page?: undefined; readonly sitemap: ReceivedSitemap };

/**
 * Parses pages and sitemaps on a thread of its own, one at a time, so that a large one doesn't block the caller's
 * thread.
 */
export class PageReader {
  readonly #mutex = new Semaphore(1);
  #worker: Worker | null = null;
  #idleTimer: NodeJS.Timeout | undefined;

  /**
   * @throws KnowledgeBaseError `provider_failed` for a page that takes more than 30 s or 384 MB
   * @throws the reason of the signal, at once: the page being parsed is abandoned
   */
  read(page: ReceivedPage, signal: AbortSignal): Promise<PageFacts> {
    return this.#mutex.run(() => this.#request<PageFacts>({ page }, signal), { signal });
  }

  /** Rejects as `read` does. */
  readSitemap(sitemap: ReceivedSitemap, signal: AbortSignal): Promise<Sitemap> {
    return this.#mutex.run(() => this.#request<Sitemap>({ sitemap }, signal), { signal });
  }

  async #request<Result>(task: ThreadTask, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    clearTimeout(this.#idleTimer);
    this.#worker ??= new Worker(new URL("./page-thread.js", import.meta.url), {
      name: "lorebase pages",
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const worker = this.#worker;
    worker.ref();
    const ending = new AbortController();
    const abandon = () => ending.abort();
    signal.addEventListener("abort", abandon, { once: true });
    const timeout = setTimeout(abandon, MAX_READ_MS);
    try {
      const message = once(worker, "message", { signal: ending.signal });
      worker.postMessage(task);
      const [result] = await message;
      return result;
    } catch (cause) {
      this.#worker = null;
      await worker.terminate();
      signal.throwIfAborted();
      const reason = isAbortError(cause) ? `timed out after ${MAX_READ_MS / 1000} s` : `failed: ${messageOf(cause)}`;
      const kind = task.page === undefined ? "sitemap" : "page";
      throw new KnowledgeBaseError("provider_failed", `Parsing the ${kind} ${reason}.`, { cause });
    } finally {
      clearTimeout(timeout);
      signal.removeEventListener("abort", abandon);
      worker.unref();
      this.#idleTimer = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }
}
