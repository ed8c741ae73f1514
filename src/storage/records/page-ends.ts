import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** One crawl of a job's site. */
export interface CrawlRound {
  readonly jobId: string;
  readonly number: number;
}

/** Where a page leads in the end. */
export interface PageEnd {
  /**
   * `document`: to one. `gone`: to a page of which the site says that it isn't there. `none`: to another that has no
   * document, or is not wanted. `pending`: to one that is yet to be asked for. `unread`: nobody knows, since what it
   * leads to could not be read, or to itself.
   */
  readonly end: "document" | "gone" | "none" | "pending" | "unread";
  /** The last page's key: the page's own where it leads nowhere. */
  readonly at: string;
  /** Whether one of the redirects on the way was one for now. */
  readonly temporary: boolean;
}

interface Page {
  readonly state: string;
  readonly reason: string | null;
  readonly target: string | null;
}

const LEFT_OUT_ENDS: Readonly<Record<string, "gone" | "unread">> = {
  forbidden: "unread",
  // To where nobody looks: the page may well come back from there.
  outside: "unread",
  not_found: "gone",
  soft_not_found: "gone",
};

/** Follows a page of a round by redirects, canonical addresses and duplicates to its end. */
export function* endOf(tx: Tx, { jobId, number }: CrawlRound, key: string): Operation<PageEnd> {
  const seen = new Set<string>();
  let temporary = false;
  for (let at = key; ; ) {
    const page = seen.has(at) ? undefined : yield* pageIn(tx, { jobId, number }, at);
    seen.add(at);
    if (page === undefined || page.state === "failed") return { end: "unread", at, temporary };
    if (page.state === "document" || page.state === "unchanged") return { end: "document", at, temporary };
    // Left out by its own word: that was read.
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
