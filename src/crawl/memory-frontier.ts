import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { DiscoveredUrl, Frontier, FrontierPage, KnownSitemap, PageOutcome } from "./frontier.js";
import { pathBeforeQuery } from "./page-key.js";

interface Row {
  found: DiscoveredUrl;
  ignoreCanonical: boolean;
  /** The outcome without content and links; `null` until the page is recorded. */
  outcome: PageOutcome | null;
}

/** A frontier in memory. It doesn't keep the content of pages, and never returns a failed page again. */
export class MemoryFrontier implements Frontier {
  /** All known URLs by key, in the order of their discovery. */
  readonly rows = new Map<string, Row>();
  /** Keys of the pages that are not recorded yet. */
  readonly #queue = new Set<string>();
  readonly #canonicalizedKeys = new Set<string>();
  readonly #keysByContent = new Map<string, string>();
  readonly #queryVariantCounts = new Map<string, number>();
  readonly #recordedCounts = new Map<string, number>();
  readonly #leftOutCounts = new Map<string, number>();
  readonly #skippedCounts = new Map<string, number>();

  async add(discovered: readonly DiscoveredUrl[]): Promise<void> {
    for (const found of discovered) {
      const { key, skip } = found;
      const known = this.rows.get(key);
      if (known !== undefined && (known.found.skip === null || skip !== null)) continue;
      if (known?.found.skip) addToCount(this.#skippedCounts, known.found.skip, -1);
      this.rows.set(key, { found, ignoreCanonical: false, outcome: null });
      if (skip !== null) {
        addToCount(this.#skippedCounts, skip, 1);
        continue;
      }
      this.#queue.add(key);
      const path = pathBeforeQuery(key);
      if (path !== null) addToCount(this.#queryVariantCounts, path, 1);
    }
  }

  async next(count: number, except: ReadonlySet<string>): Promise<FrontierPage[]> {
    const pages: FrontierPage[] = [];
    for (const queuedKey of this.#queue) {
      if (pages.length === count) break;
      if (except.has(queuedKey)) continue;
      const { found, ignoreCanonical } = this.#row(queuedKey);
      const { key, url, depth, redirects } = found;
      pages.push({ key, url, depth, redirects, ignoreCanonical, previous: null, links: null });
    }
    return pages;
  }

  async record({ key }: FrontierPage, outcome: PageOutcome): Promise<"recorded" | "retry"> {
    this.#row(key).outcome = withoutContent(outcome);
    this.#queue.delete(key);
    if (outcome.kind === "left_out") addToCount(this.#leftOutCounts, outcome.reason, 1);
    else addToCount(this.#recordedCounts, outcome.kind, 1);
    if (outcome.kind === "document" && !this.#keysByContent.has(outcome.page.contentHash))
      this.#keysByContent.set(outcome.page.contentHash, key);
    await this.add(outcome.found);
    if (outcome.kind === "canonical") {
      this.#canonicalizedKeys.add(key);
      this.#row(outcome.to).ignoreCanonical = true;
    }
    this.#requeueCanonicalized();
    return "recorded";
  }

  async requeue({ key }: FrontierPage): Promise<void> {
    this.#queue.delete(key);
    this.#queue.add(key);
  }

  async findByContentHash(contentHash: string): Promise<string | null> {
    return this.#keysByContent.get(contentHash) ?? null;
  }

  async countQueryVariants(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return new Map(paths.map((path) => [path, this.#queryVariantCounts.get(path) ?? 0]));
  }

  async knownSitemaps(): Promise<KnownSitemap[]> {
    const rows = [...this.rows.values()].filter(({ found }) => found.skip === "sitemap");
    return rows.map(({ found: { url, depth } }) => ({ url, level: depth }));
  }

  async counts(): Promise<CrawlCounts> {
    const { sitemap: _, ...skipped } = Object.fromEntries(this.#skippedCounts);
    const countOf = (kind: PageOutcome["kind"]) => this.#recordedCounts.get(kind) ?? 0;
    return {
      pending: this.#queue.size,
      documents: countOf("document"),
      unchanged: countOf("unchanged"),
      duplicates: countOf("duplicate"),
      canonical: countOf("canonical"),
      moved: countOf("moved"),
      failed: countOf("failed"),
      leftOut: Object.fromEntries(this.#leftOutCounts),
      skipped,
    };
  }

  /** Requeues the pages whose canonical URL turned out to have no page. */
  #requeueCanonicalized(): void {
    for (const key of this.#canonicalizedKeys) {
      const row = this.#row(key);
      if (row.outcome?.kind !== "canonical" || !this.#hasNoPage(row.outcome.to)) continue;
      row.outcome = null;
      row.ignoreCanonical = true;
      addToCount(this.#recordedCounts, "canonical", -1);
      this.#canonicalizedKeys.delete(key);
      this.#queue.add(key);
    }
  }

  /** Whether a canonical URL leads to no page, following redirects and further canonical URLs. */
  #hasNoPage(key: string, seen: ReadonlySet<string> = new Set()): boolean {
    const { found, outcome } = this.#row(key);
    if (outcome?.kind === "moved" || (outcome?.kind === "canonical" && seen.size > 0)) {
      return seen.has(key) || this.#hasNoPage(outcome.to, new Set([...seen, key]));
    }
    return found.skip !== null || outcome?.kind === "left_out" || outcome?.kind === "failed";
  }

  #row(key: string): Row {
    const row = this.rows.get(key);
    if (row === undefined) throw new Error(`The frontier has no page ${key}.`);
    return row;
  }
}

function withoutContent(outcome: PageOutcome): PageOutcome {
  if (outcome.kind !== "document") return { ...outcome, found: [], ...("links" in outcome && { links: [] }) };
  return { ...outcome, found: [], page: { ...outcome.page, bytes: new Uint8Array(), links: [] } };
}

/** Adds `by` to a count, and removes the count if it becomes zero. */
function addToCount(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
