import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { CrawlCount } from "../storage/records/statuses.js";

/** Addresses counted by state and reason, as a crawl and its watchers see them: without the sitemaps that are kept beside them. */
export function toCrawlCounts(all: readonly CrawlCount[]): CrawlCounts {
  const rows = all.filter(({ state, reason }) => !(state === "skipped" && reason === "sitemap"));
  const of = (state: CrawlCount["state"]) => {
    return rows.filter((row) => row.state === state).reduce((sum, { pages }) => sum + pages, 0);
  };
  const byReason = (state: CrawlCount["state"]) => {
    return Object.fromEntries(rows.filter((row) => row.state === state).map(({ reason, pages }) => [reason, pages]));
  };
  return {
    pending: of("pending"),
    documents: of("document"),
    unchanged: of("unchanged"),
    duplicates: of("duplicate"),
    canonical: of("canonical"),
    moved: of("moved"),
    failed: of("failed"),
    leftOut: byReason("left_out"),
    skipped: byReason("skipped"),
  };
}
