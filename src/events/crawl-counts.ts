import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { CrawlCount } from "../storage/records/statuses.js";

/** Converts stored page counts to public ones. Sitemaps that were read are stored as pages but not counted. */
export function toCrawlCounts(counts: readonly CrawlCount[]): CrawlCounts {
  const rows = counts.filter(({ state, reason }) => !(state === "skipped" && reason === "sitemap"));
  const countPages = (state: CrawlCount["state"]) => {
    return rows.filter((row) => row.state === state).reduce((sum, { pages }) => sum + pages, 0);
  };
  const countByReason = (state: CrawlCount["state"]) => {
    return Object.fromEntries(rows.filter((row) => row.state === state).map(({ reason, pages }) => [reason, pages]));
  };
  return {
    pending: countPages("pending"),
    documents: countPages("document"),
    unchanged: countPages("unchanged"),
    duplicates: countPages("duplicate"),
    canonical: countPages("canonical"),
    moved: countPages("moved"),
    failed: countPages("failed"),
    leftOut: countByReason("left_out"),
    skipped: countByReason("skipped"),
  };
}
