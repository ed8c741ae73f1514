import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** One round of a job's crawl. */
export interface CrawlRound {
  readonly jobId: string;
  readonly number: number;
}

/** Where a page's redirects, canonical URLs and duplicates end. */
export interface PageEnd {
  /**
   * `document`: a page with a document. `gone`: a page that the site reports as gone. `none`: a page that must have no
   * document. `pending`: a page that has not been fetched yet. `unread`: unknown, since the page could not be read or
   * leads back to itself.
   */
  readonly end: "document" | "gone" | "none" | "pending" | "unread";
  /** The key of the last page, which is the page itself if it leads nowhere. */
  readonly lastKey: string;
  /** Whether one of the redirects that lead to the end is temporary. */
  readonly isTemporary: boolean;
}

interface Page {
  readonly state: string;
  readonly reason: string | null;
  readonly target: string | null;
}

const END_BY_REASON: Readonly<Record<string, "gone" | "unread">> = {
  forbidden: "unread",
  // The redirect's target is not crawled, so the page may come back.
  outside: "unread",
  not_found: "gone",
  soft_not_found: "gone",
};

/** Follows a page's redirects, canonical URLs and duplicates to their end. */
export function* findPageEnd(tx: Tx, { jobId, number }: CrawlRound, key: string): Operation<PageEnd> {
  const seen = new Set<string>();
  let isTemporary = false;
  for (let lastKey = key; ; ) {
    const page = seen.has(lastKey) ? undefined : yield* findPageOfRound(tx, { jobId, number }, lastKey);
    seen.add(lastKey);
    if (page === undefined || page.state === "failed") return { end: "unread", lastKey, isTemporary };
    if (page.state === "document" || page.state === "unchanged") return { end: "document", lastKey, isTemporary };
    // Left out permanently: `recordPage` has kept the documents of pages that were left out temporarily.
    if (page.state === "left_out" && lastKey === key) return { end: "none", lastKey, isTemporary };
    if (page.state === "left_out") return { end: END_BY_REASON[page.reason!] ?? "none", lastKey, isTemporary };
    if (page.state === "pending") return { end: "pending", lastKey, isTemporary };
    if (page.target === null) return { end: "none", lastKey, isTemporary };
    isTemporary ||= page.state === "moved" && page.reason === "for_now";
    lastKey = page.target;
  }
}

function* findPageOfRound(tx: Tx, { jobId, number }: CrawlRound, key: string): Operation<Page | undefined> {
  return yield* tx.get<Page>(
    "SELECT state, reason, target FROM crawl_pages WHERE ingest_job_id = ? AND key = ? AND round = ?",
    ...[jobId, key, number],
  );
}
