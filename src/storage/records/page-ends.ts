import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** One round of a job's crawl. */
export interface CrawlRound {
  readonly jobId: string;
  readonly number: number;
}

/** The end of a page's redirects, canonical URLs and duplicates. */
export interface PageEnd {
  /**
   * `document`: a page with a document. `gone`: a page that the site reports as gone. `none`: a page without a
   * document, or an unwanted one. `pending`: a page not fetched yet. `unread`: unknown, since it could not be read or
   * leads to itself.
   */
  readonly end: "document" | "gone" | "none" | "pending" | "unread";
  /** The key of the last page; the page's own if it leads nowhere. */
  readonly at: string;
  /** Whether one of the redirects was temporary. */
  readonly temporary: boolean;
}

interface Page {
  readonly state: string;
  readonly reason: string | null;
  readonly target: string | null;
}

const LEFT_OUT_ENDS: Readonly<Record<string, "gone" | "unread">> = {
  forbidden: "unread",
  // The target is not crawled, so the page may well come back.
  outside: "unread",
  not_found: "gone",
  soft_not_found: "gone",
};

/** Follows redirects, canonical URLs and duplicates of a page to their end. */
export function* endOf(tx: Tx, { jobId, number }: CrawlRound, key: string): Operation<PageEnd> {
  const seen = new Set<string>();
  let temporary = false;
  for (let at = key; ; ) {
    const page = seen.has(at) ? undefined : yield* pageIn(tx, { jobId, number }, at);
    seen.add(at);
    if (page === undefined || page.state === "failed") return { end: "unread", at, temporary };
    if (page.state === "document" || page.state === "unchanged") return { end: "document", at, temporary };
    // Skipped at its own request, so it was read.
    if (page.state === "left_out" && at === key) return { end: "none", at, temporary };
    if (page.state === "left_out") return { end: LEFT_OUT_ENDS[page.reason!] ?? "none", at, temporary };
    if (page.state === "pending") return { end: "pending", at, temporary };
    if (page.target === null) return { end: "none", at, temporary };
    temporary ||= page.state === "moved" && page.reason === "for_now";
    at = page.target;
  }
}

function* pageIn(tx: Tx, { jobId, number }: CrawlRound, key: string): Operation<Page | undefined> {
  return yield* tx.get<Page>(
    "SELECT state, reason, target FROM crawl_pages WHERE ingest_job_id = ? AND key = ? AND round = ?",
    ...[jobId, key, number],
  );
}
