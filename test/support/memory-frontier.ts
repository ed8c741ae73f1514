import type {
  DiscoveredUrl,
  FetchedPage,
  Frontier,
  FrontierPage,
  KnownSitemap,
  PageOutcome,
  PreviousFetch,
} from "../../src/crawl/frontier.js";
import type { CrawlCounts } from "../../src/domain/crawl-counts.js";

export type EarlierPage = PreviousFetch & Pick<FetchedPage, "links">;

interface Row {
  found: DiscoveredUrl;
  order: number;
  ignoreCanonical: boolean;
  /** `null` until the page is recorded. */
  outcome: PageOutcome | null;
}

/** A frontier in memory. */
export class MemoryFrontier implements Frontier {
  readonly rows = new Map<string, Row>();
  readonly #previous: ReadonlyMap<string, EarlierPage>;
  #order = 0;

  constructor(previous: ReadonlyMap<string, EarlierPage> = new Map()) {
    this.#previous = previous;
  }

  async add(found: readonly DiscoveredUrl[]): Promise<void> {
    for (const address of found) {
      const row = this.rows.get(address.key);
      if (row === undefined) {
        this.rows.set(address.key, { found: address, order: this.#order++, ignoreCanonical: false, outcome: null });
      } else if (row.found.skip !== null && address.skip === null) {
        row.found = address;
        row.order = this.#order++;
      }
    }
  }

  async next(count: number, except: ReadonlySet<string>): Promise<FrontierPage[]> {
    return [...this.rows.values()]
      .filter(({ found, outcome }) => found.skip === null && outcome === null && !except.has(found.key))
      .sort((a, b) => a.order - b.order)
      .slice(0, count)
      .map(({ found: { key, url, depth, redirects }, ignoreCanonical }) => {
        const previous = this.#previous.get(key) ?? null;
        return { key, url, depth, redirects, ignoreCanonical, previous, links: previous?.links ?? null };
      });
  }

  async record({ key }: FrontierPage, outcome: PageOutcome): Promise<"recorded"> {
    this.#row(key).outcome = outcome;
    await this.add(outcome.found);
    if (outcome.kind === "canonical") this.#row(outcome.to).ignoreCanonical = true;
    for (const row of this.rows.values()) {
      if (row.outcome?.kind !== "canonical" || !this.#hasNoPage(row.outcome.to)) continue;
      row.outcome = null;
      row.ignoreCanonical = true;
      row.order = this.#order++;
    }
    return "recorded";
  }

  async requeue({ key }: FrontierPage): Promise<void> {
    this.#row(key).order = this.#order++;
  }

  async findByContentHash(contentHash: string): Promise<string | null> {
    for (const [key, { outcome }] of this.rows) {
      const hash =
        outcome?.kind === "document"
          ? outcome.page.contentHash
          : outcome?.kind === "unchanged"
            ? this.#previous.get(key)?.contentHash
            : undefined;
      if (hash === contentHash) return key;
    }
    return null;
  }

  async countQueryVariants(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const keys = [...this.rows.values()].filter(({ found }) => found.skip === null).map(({ found }) => found.key);
    return new Map(paths.map((path) => [path, keys.filter((key) => key.startsWith(`${path}?`)).length]));
  }

  async knownSitemaps(): Promise<KnownSitemap[]> {
    const rows = [...this.rows.values()].filter(({ found }) => found.skip === "sitemap");
    return rows.map(({ found: { url, depth } }) => ({ url, level: depth }));
  }

  async counts(): Promise<CrawlCounts> {
    const rows = [...this.rows.values()].filter(({ found }) => found.skip !== "sitemap");
    const of = (kind: PageOutcome["kind"]) => rows.filter(({ outcome }) => outcome?.kind === kind).length;
    const leftOut: Record<string, number> = {};
    const skipped: Record<string, number> = {};
    for (const { found, outcome } of rows) {
      if (found.skip !== null) skipped[found.skip] = (skipped[found.skip] ?? 0) + 1;
      if (outcome?.kind === "left_out") leftOut[outcome.reason] = (leftOut[outcome.reason] ?? 0) + 1;
    }
    return {
      pending: rows.filter(({ found, outcome }) => found.skip === null && outcome === null).length,
      documents: of("document"),
      unchanged: of("unchanged"),
      duplicates: of("duplicate"),
      canonical: of("canonical"),
      moved: of("moved"),
      failed: of("failed"),
      leftOut,
      skipped,
    };
  }

  /** The URLs of the documents, sorted. */
  documents(): string[] {
    return [...this.rows.values()]
      .flatMap(({ outcome }) => (outcome?.kind === "document" ? outcome.page.url : []))
      .sort();
  }

  #row(key: string): Row {
    const row = this.rows.get(key);
    if (row === undefined) throw new Error(`${key} was never added`);
    return row;
  }

  #hasNoPage(key: string, seen: ReadonlySet<string> = new Set()): boolean {
    const { found, outcome } = this.#row(key);
    if (outcome?.kind === "moved" || (outcome?.kind === "canonical" && seen.size > 0)) {
      return seen.has(key) || this.#hasNoPage(outcome.to, new Set([...seen, key]));
    }
    return found.skip !== null || outcome?.kind === "left_out" || outcome?.kind === "failed";
  }
}
