import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { CrawlCount } from "../storage/records/statuses.js";

/** Converts stored page counts to public ones. Sitemaps, which are stored as pages, are not counted. */
export function toCrawlCounts(counts: readonly CrawlCount[]): CrawlCounts {
  const rows = counts.filter(({ state, reason }) => !(state === "skipped" && reason === "sitemap"));
  const sumOf = (state: CrawlCount["state"]) => {
    return rows.filter((row) => row.state === state).reduce((sum, { pages }) => sum + pages, 0);
  };
  const byReason = (state: CrawlCount["state"]) => {
    return Object.fromEntries(rows.filter((row) => row.state === state).map(({ reason, pages }) => [reason, pages]));
  };
  return {
    pending: sumOf("pending"),
    documents: sumOf("document"),
    unchanged: sumOf("unchanged"),
    duplicates: sumOf("duplicate"),
    canonical: sumOf("canonical"),
    moved: sumOf("moved"),
    failed: sumOf("failed"),
    leftOut: byReason("left_out"),
    skipped: byReason("skipped"),
  };
}
