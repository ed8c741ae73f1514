import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { DiscoveredUrl, Frontier, FrontierPage, KnownSitemap, PageOutcome } from "./frontier.js";
import { pathOfQuery } from "./page-key.js";

interface Row {
  found: DiscoveredUrl;
  ignoreCanonical: boolean;
  /** Without content and links; `null` until the page is recorded. */
  outcome: PageOutcome | null;
}

/** A frontier in memory. It doesn't keep the content of pages, and a page that failed is not fetched again. */
export class MemoryFrontier implements Frontier {
  /** By key, in the order of their discovery. */
  readonly rows = new Map<string, Row>();
  /** Keys of the pages that are not recorded yet. */
  readonly #queue = new Set<string>();
  readonly #canonicalized = new Set<string>();
  readonly #keysByContent = new Map<string, string>();
  readonly #queryVariants = new Map<string, number>();
  readonly #recorded = new Map<string, number>();
  readonly #leftOut = new Map<string, number>();
  readonly #skipped = new Map<string, number>();

  async add(discovered: readonly DiscoveredUrl[]): Promise<void> {
    for (const found of discovered) {
      const { key, skip } = found;
      const known = this.rows.get(key);
      if (known !== undefined && (known.found.skip === null || skip !== null)) continue;
      if (known?.found.skip) add(this.#skipped, known.found.skip, -1);
      this.rows.set(key, { found, ignoreCanonical: false, outcome: null });
      if (skip !== null) {
        add(this.#skipped, skip, 1);
        continue;
      }
      this.#queue.add(key);
      const path = pathOfQuery(key);
      if (path !== null) add(this.#queryVariants, path, 1);
    }
  }

  async next(count: number, except: ReadonlySet<string>): Promise<FrontierPage[]> {
    const pages: FrontierPage[] = [];
    for (const pending of this.#queue) {
      if (pages.length === count) break;
      if (except.has(pending)) continue;
      const { found, ignoreCanonical } = this.#row(pending);
      const { key, url, depth, redirects } = found;
      pages.push({ key, url, depth, redirects, ignoreCanonical, previous: null, links: null });
    }
    return pages;
  }

  async record({ key }: FrontierPage, outcome: PageOutcome): Promise<"recorded" | "retry"> {
    this.#row(key).outcome = withoutContent(outcome);
    this.#queue.delete(key);
    if (outcome.kind === "left_out") add(this.#leftOut, outcome.reason, 1);
    else add(this.#recorded, outcome.kind, 1);
    if (outcome.kind === "document" && !this.#keysByContent.has(outcome.page.contentHash))
      this.#keysByContent.set(outcome.page.contentHash, key);
    await this.add(outcome.found);
    if (outcome.kind === "canonical") {
      this.#canonicalized.add(key);
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
    return new Map(paths.map((path) => [path, this.#queryVariants.get(path) ?? 0]));
  }

  async knownSitemaps(): Promise<KnownSitemap[]> {
    const rows = [...this.rows.values()].filter(({ found }) => found.skip === "sitemap");
    return rows.map(({ found: { url, depth } }) => ({ url, level: depth }));
  }

  async counts(): Promise<CrawlCounts> {
    const { sitemap: _, ...skipped } = Object.fromEntries(this.#skipped);
    const recorded = (kind: PageOutcome["kind"]) => this.#recorded.get(kind) ?? 0;
    return {
      pending: this.#queue.size,
      documents: recorded("document"),
      unchanged: recorded("unchanged"),
      duplicates: recorded("duplicate"),
      canonical: recorded("canonical"),
      moved: recorded("moved"),
      failed: recorded("failed"),
      leftOut: Object.fromEntries(this.#leftOut),
      skipped,
    };
  }

  /** Queues the pages whose canonical URL turned out to have no page. */
  #requeueCanonicalized(): void {
    for (const key of this.#canonicalized) {
      const row = this.#row(key);
      if (row.outcome?.kind !== "canonical" || !this.#hasNoPage(row.outcome.to)) continue;
      row.outcome = null;
      row.ignoreCanonical = true;
      add(this.#recorded, "canonical", -1);
      this.#canonicalized.delete(key);
      this.#queue.add(key);
    }
  }

  /** Follows the redirects and canonical URLs of a canonical URL. */
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

/** Counts without zeros. */
function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
