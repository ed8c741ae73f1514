import { getErrorMessage, isAbortError, KnowledgeBaseError } from "../errors.js";
import type { Input, Output } from "../rpc/rpc-peer.js";
import { RpcThread } from "../rpc/rpc-thread.js";
import { Semaphore } from "../util/semaphore.js";
import type { PageOperations } from "./page-thread.js";
import type { ReceivedSitemap, Sitemap } from "./parse-sitemap.js";
import type { PageMetadata, ReceivedPage } from "./read-page.js";

/** Parsing a page of 10 MB takes about ten seconds. */
const MAX_READ_MS = 30_000;
/** Enough for the elements of a page of 10 MB, unless the page consists only of tags. */
const MAX_HEAP_MB = 384;
/** How long an idle thread lives. Because it then ends by itself, no caller has to close the reader. */
const IDLE_MS = 10_000;

/**
 * Parses pages and sitemaps on a separate thread, one at a time, so that a large one doesn't block the caller's thread.
 */
export class PageReader {
  readonly #mutex = new Semaphore(1);
  #thread: RpcThread<PageOperations> | null = null;
  #idleTimer: NodeJS.Timeout | undefined;

  /**
   * @throws KnowledgeBaseError `provider_failed` for a page that takes more than 30 s or 384 MB
   * @throws the reason of the signal, at once: the thread that parses the page is terminated
   */
  read(page: ReceivedPage, signal: AbortSignal): Promise<PageMetadata> {
    return this.#mutex.run(() => this.#call("page", page, signal), { signal });
  }

  /** @throws the same errors as {@link read} */
  readSitemap(sitemap: ReceivedSitemap, signal: AbortSignal): Promise<Sitemap> {
    return this.#mutex.run(() => this.#call("sitemap", sitemap, signal), { signal });
  }

  async #call<Kind extends keyof PageOperations>(
    kind: Kind,
    input: Input<PageOperations[Kind]>,
    signal: AbortSignal,
  ): Promise<Output<PageOperations[Kind]>> {
    signal.throwIfAborted();
    clearTimeout(this.#idleTimer);
    this.#thread ??= new RpcThread<PageOperations>({
      entry: new URL("./page-thread.js", import.meta.url),
      name: "lorebase pages",
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      toError: (crash) => (crash instanceof Error ? crash : new Error("the thread exited")),
    });
    const thread = this.#thread;
    const abandon = () => void thread.terminate(new DOMException("The page was abandoned.", "AbortError"));
    signal.addEventListener("abort", abandon, { once: true });
    const timeout = setTimeout(abandon, MAX_READ_MS);
    try {
      return await thread.call(kind, input);
    } catch (cause) {
      this.#thread = null;
      await thread.terminate(cause);
      signal.throwIfAborted();
      const reason = isAbortError(cause)
        ? `timed out after ${MAX_READ_MS / 1000} s`
        : `failed: ${getErrorMessage(cause)}`;
      throw new KnowledgeBaseError("provider_failed", `Parsing the ${kind} ${reason}.`, { cause });
    } finally {
      clearTimeout(timeout);
      signal.removeEventListener("abort", abandon);
      this.#idleTimer = setTimeout(() => this.#endThread(), IDLE_MS).unref();
    }
  }

  #endThread(): void {
    void this.#thread?.terminate(new Error("idle"));
    this.#thread = null;
  }
}
