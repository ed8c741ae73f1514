import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { isAbortError, KnowledgeBaseError, messageOf } from "../../errors.js";
import { Lanes } from "./lanes.js";
import type { PageFacts, ReceivedPage } from "./read-page.js";

/** A page of 10 MB takes some ten seconds. */
const LONGEST_MS = 60_000;
/** A thread without work ends, so that nobody has to end it. */
const IDLE_MS = 10_000;

/** Reads pages on a thread of its own, one at a time: the caller's isn't kept from anything by a large page. */
export class PageReader {
  readonly #lanes = new Lanes(1);
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;

  /** @throws KnowledgeBaseError `provider_failed` for a page that can't be read in 60 s */
  read(page: ReceivedPage): Promise<PageFacts> {
    return this.#lanes.run(() => this.#read(page));
  }

  async #read(page: ReceivedPage): Promise<PageFacts> {
    clearTimeout(this.#idle);
    this.#worker ??= new Worker(new URL("./page-thread.js", import.meta.url), {
      name: "lorebase pages",
      env: {},
      execArgv: [],
    });
    const worker = this.#worker;
    worker.ref();
    try {
      const answer = once(worker, "message", { signal: AbortSignal.timeout(LONGEST_MS) });
      worker.postMessage(page);
      const [facts] = await answer;
      return facts;
    } catch (cause) {
      this.#worker = null;
      await worker.terminate();
      const reason = isAbortError(cause) ? `it takes longer than ${LONGEST_MS} ms` : messageOf(cause);
      throw new KnowledgeBaseError("provider_failed", `The page can't be read: ${reason}.`, { cause });
    } finally {
      worker.unref();
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }
}
