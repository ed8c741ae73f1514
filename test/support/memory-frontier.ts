import type {
  FetchedPage,
  FoundAddress,
  Frontier,
  FrontierPage,
  KnownPage,
  KnownSitemap,
  PageOutcome,
} from "../../src/crawl/frontier.js";
import type { CrawlCounts } from "../../src/domain/crawl-counts.js";

export type EarlierPage = KnownPage & Pick<FetchedPage, "links">;

interface Row {
  found: FoundAddress;
  order: number;
  standsAlone: boolean;
  /** Null for a page that is to be fetched. */
  outcome: PageOutcome | null;
}

/** A frontier that lasts as long as it is referred to. */
export class MemoryFrontier implements Frontier {
  readonly rows = new Map<string, Row>();
  readonly #known: ReadonlyMap<string, EarlierPage>;
  #order = 0;

  constructor(known: ReadonlyMap<string, EarlierPage> = new Map()) {
    this.#known = known;
  }

  async add(found: readonly FoundAddress[]): Promise<void> {
    for (const address of found) {
      const row = this.rows.get(address.key);
      if (row === undefined) {
        this.rows.set(address.key, { found: address, order: this.#order++, standsAlone: false, outcome: null });
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
      .map(({ found: { key, url, depth, redirects }, standsAlone }) => {
        const known = this.#known.get(key) ?? null;
        return { key, url, depth, redirects, standsAlone, known, links: known?.links ?? null };
      });
  }

  async settle({ key }: FrontierPage, outcome: PageOutcome): Promise<"settled"> {
    this.#row(key).outcome = outcome;
    await this.add(outcome.found);
    if (outcome.kind === "canonical") this.#row(outcome.to).standsAlone = true;
    for (const row of this.rows.values()) {
      if (row.outcome?.kind !== "canonical" || !this.#isNone(row.outcome.to)) continue;
      row.outcome = null;
      row.standsAlone = true;
      row.order = this.#order++;
    }
    return "settled";
  }

  async postpone({ key }: FrontierPage): Promise<void> {
    this.#row(key).order = this.#order++;
  }

  async holderOf(contentHash: string): Promise<string | null> {
    for (const [key, { outcome }] of this.rows) {
      const hash =
        outcome?.kind === "document"
          ? outcome.page.contentHash
          : outcome?.kind === "unchanged"
            ? this.#known.get(key)?.contentHash
            : undefined;
      if (hash === contentHash) return key;
    }
    return null;
  }

  async variantsOf(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const keys = [...this.rows.values()].filter(({ found }) => found.skip === null).map(({ found }) => found.key);
    return new Map(paths.map((path) => [path, keys.filter((key) => key.startsWith(`${path}?`)).length]));
  }

  async sitemaps(): Promise<KnownSitemap[]> {
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

  /** The addresses of the documents, sorted. */
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

  #isNone(key: string, seen: ReadonlySet<string> = new Set()): boolean {
    const { found, outcome } = this.#row(key);
    if (outcome?.kind === "moved" || (outcome?.kind === "canonical" && seen.size > 0)) {
      return seen.has(key) || this.#isNone(outcome.to, new Set([...seen, key]));
    }
    return found.skip !== null || outcome?.kind === "left_out" || outcome?.kind === "failed";
  }
}
