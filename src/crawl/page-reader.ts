import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { isAbortError, KnowledgeBaseError, messageOf } from "../errors.js";
import { Semaphore } from "../util/semaphore.js";
import type { PageFacts, ReceivedPage } from "./read-page.js";
import type { ReadSitemap, ReceivedSitemap } from "./read-sitemap.js";

/** A page of 10 MB takes some ten seconds. */
const LONGEST_MS = 30_000;
/** What the elements of a page of 10 MB take, but for pages that are nothing but tags. */
const MAX_HEAP_MB = 384;
/** A thread without work ends, so that nobody has to end it. */
const IDLE_MS = 10_000;

/** What the thread is to read. */
export type ThreadTask =
  | { readonly page: ReceivedPage; readonly sitemap?: undefined }
  | { readonly page?: undefined; readonly sitemap: ReceivedSitemap };

/** Reads pages and sitemaps on a thread of its own, one at a time: the caller's isn't kept from anything by a large one. */
export class PageReader {
  readonly #lanes = new Semaphore(1);
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;

  /**
   * @throws KnowledgeBaseError `provider_failed` for a page that can't be read in 30 s or within 384 MB
   * @throws what the signal was aborted with, at once: a page that is being read is given up
   */
  read(page: ReceivedPage, signal: AbortSignal): Promise<PageFacts> {
    return this.#lanes.run(() => this.#ask<PageFacts>({ page }, signal), { signal });
  }

  /** Rejects as `read` does. */
  readSitemap(sitemap: ReceivedSitemap, signal: AbortSignal): Promise<ReadSitemap> {
    return this.#lanes.run(() => this.#ask<ReadSitemap>({ sitemap }, signal), { signal });
  }

  async #ask<Answer>(task: ThreadTask, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    this.#worker ??= new Worker(new URL("./page-thread.js", import.meta.url), {
      name: "lorebase pages",
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const worker = this.#worker;
    worker.ref();
    const ending = new AbortController();
    const giveUp = () => ending.abort();
    signal.addEventListener("abort", giveUp, { once: true });
    const late = setTimeout(giveUp, LONGEST_MS);
    try {
      const answer = once(worker, "message", { signal: ending.signal });
      worker.postMessage(task);
      const [read] = await answer;
      return read;
    } catch (cause) {
      this.#worker = null;
      await worker.terminate();
      signal.throwIfAborted();
      const reason = isAbortError(cause) ? `it takes longer than ${LONGEST_MS} ms` : messageOf(cause);
      throw new KnowledgeBaseError("provider_failed", `The ${Object.keys(task)[0]} can't be read: ${reason}.`, {
        cause,
      });
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", giveUp);
      worker.unref();
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }
}
