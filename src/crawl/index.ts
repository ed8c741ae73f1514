import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { Parser } from "../interfaces/parser.js";
import { guardedFetch } from "../net/guarded-fetch.js";
import { type NetworkOptions, networkSchema } from "../net/private-hosts.js";
import type { CrawlPayload } from "../types.js";
import { crawlShape } from "../validation/ingest-job-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { strict } from "../validation/strict.js";
import { z } from "../vendor/zod.js";
import { Crawl } from "./crawl.js";
import type { FetchedPage, FrontierPage, PageOutcome } from "./frontier.js";
import { MemoryFrontier } from "./memory-frontier.js";
import { contentType } from "./page-format.js";

export type { CrawlCounts, LeftOutReason, SkipReason } from "../domain/crawl-counts.js";
export type { FetchedPage } from "./frontier.js";

/** Options of {@link crawl}, including those of a `CRAWL` job. */
export interface CrawlSiteOptions extends Omit<CrawlPayload, "type"> {
  /** Custom parsers. A crawl doesn't parse, but with them it also yields files in their formats. @default none */
  readonly parsers?: readonly Parser[] | undefined;
  readonly network?: NetworkOptions | undefined;
  /** Stops the crawl; the iteration fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each page, including those that are not yielded. */
  readonly onProgress?: ((counts: CrawlCounts) => void) | undefined;
  /** Called before the iteration ends. Not called if the iteration fails or is left early. */
  readonly onEnd?: ((summary: CrawlSummary) => void) | undefined;
}

/** How a crawl ended. */
export interface CrawlSummary {
  /** `done`: no page is left. `limit`: the document limit is reached. `pages`: the page budget is spent. */
  readonly ended: "done" | "limit" | "pages";
  readonly counts: CrawlCounts;
}

/** What a crawl yields: a page or file with its content, or a page that could not be fetched. */
export type CrawledPage = CrawledDocument | FailedPage;

/** A page or file, with its content. */
export interface CrawledDocument extends Omit<FetchedPage, "charset"> {
  readonly kind: "document";
  /** The number of links from the start page to this page, plus 1. */
  readonly depth: number;
  /** The detected type, with the charset of the `Content-Type` header: `text/html; charset=utf-8`. */
  readonly mimeType: string;
}

/** A page that could not be fetched in three attempts, or for which the server reports an error. */
export interface FailedPage {
  readonly kind: "failed";
  readonly url: string;
  /** The number of links from the start page to this page, plus 1. */
  readonly depth: number;
  /** The error, with the URL. */
  readonly message: string;
  /** Whether a later crawl may succeed. */
  readonly retryable: boolean;
}

const optionsSchema = strict({
  ...crawlShape,
  parsers: z.array(z.custom<Parser>((value) => typeof value === "object" && value !== null)).default([]),
  network: networkSchema,
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z.custom<(counts: CrawlCounts) => void>((value) => typeof value === "function").optional(),
  onEnd: z.custom<(summary: CrawlSummary) => void>((value) => typeof value === "function").optional(),
});

/**
 * Crawls a web site without a knowledge base, with the rules of a `CRAWL` job: robots.txt, at most four requests at a
 * time, one document for all URLs of a page. Yields each document once, breadth-first, with its bytes.
 *
 * Nothing is stored. The crawl fetches a few pages ahead, then waits for its consumer; leaving the loop stops the
 * crawl. Calls don't share their rate limits, so crawl one site with one call at a time.
 *
 * The iteration fails with a KnowledgeBaseError if the crawl as a whole can't continue: `provider_failed` if robots.txt
 * or the start page can't be fetched, or if the site asks for a wait of more than 30 seconds (`retryAfterMs`);
 * `not_found`, `forbidden`, `unsupported`, `limit_exceeded` or `invalid_input` if the start page can't be crawled.
 *
 * @throws KnowledgeBaseError `invalid_input` for an invalid option
 * @example
 * ```ts
 * import { crawl } from "lorebase/crawl";
 * import { parseFile } from "lorebase/parse";
 *
 * for await (const page of crawl({ url: "https://example.com/docs/", includePaths: ["/docs"] })) {
 *   if (page.kind === "failed") {
 *     console.warn(page.message);
 *     continue;
 *   }
 *   const { url, bytes, mimeType, fileName } = page;
 *   const { markdown } = await parseFile(bytes, { mimeType, name: fileName ?? undefined });
 *   console.log(url, markdown);
 * }
 * ```
 */
export function crawl(options: CrawlSiteOptions): AsyncIterable<CrawledPage> {
  return iteratePages(parseInput(optionsSchema, options));
}

async function* iteratePages(options: z.output<typeof optionsSchema>): AsyncGenerator<CrawledPage> {
  const { url, parsers, network, signal, onProgress, onEnd, ...crawlOptions } = options;
  const { readable, writable } = new TransformStream<CrawledPage, CrawledPage>();
  const writer = writable.getWriter();
  const controller = new AbortController();
  const fetch = guardedFetch(network);
  const frontier = new StreamingFrontier((page) => writer.write(page));
  const run = new Crawl({ start: url, frontier, fetch, parsers, options: crawlOptions })
    .run({
      signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
      onProgress: ({ counts }) => onProgress?.(counts),
    })
    .then(({ ended, counts }) => {
      // A run without a `pause` signal never ends as "paused".
      if (ended !== "paused") onEnd?.({ ended, counts });
      return writer.close();
    })
    .catch((error) => writer.abort(error));
  try {
    for await (const page of readable) {
      signal?.throwIfAborted();
      yield page;
    }
  } finally {
    controller.abort();
    await run;
    await fetch.close();
  }
}

/** Passes each document and each failure to the consumer, and waits until the consumer takes it. */
class StreamingFrontier extends MemoryFrontier {
  readonly #yield: (page: CrawledPage) => Promise<void>;

  constructor(yieldPage: (page: CrawledPage) => Promise<void>) {
    super();
    this.#yield = yieldPage;
  }

  override async record(page: FrontierPage, outcome: PageOutcome): Promise<"recorded" | "retry"> {
    const { url, depth } = page;
    if (outcome.kind === "document") {
      const { charset, ...fetched } = outcome.page;
      await this.#yield({ kind: "document", depth, ...fetched, mimeType: contentType(outcome.page) });
    }
    if (outcome.kind === "failed") {
      const { message, retryable } = outcome;
      await this.#yield({ kind: "failed", url, depth, message, retryable });
    }
    return super.record(page, outcome);
  }
}
