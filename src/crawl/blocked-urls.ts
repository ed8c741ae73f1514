/** The number of URLs remembered. The oldest are dropped first. */
const MAX_URLS = 1000;

/**
 * The URLs for which a host sent a long `Retry-After`. Distinguishes a URL that is always blocked from a host that
 * blocks the crawler, so that one bad URL doesn't end every crawl of the site.
 */
export class BlockedUrls {
  readonly #urls = new Map<string, { readonly blockNumber: number; hostServesOthers: boolean }>();
  #blockCount = 0;

  /** The number of blocks so far. A request passes the count at its start to {@link recordServed}. */
  get blockCount(): number {
    return this.#blockCount;
  }

  get isEmpty(): boolean {
    return this.#urls.size === 0;
  }

  /** Records that the host served a page that was requested after `blockCount` blocks. */
  recordServed(url: string, blockCount: number): void {
    this.#urls.delete(url);
    for (const blocked of this.#urls.values()) blocked.hostServesOthers ||= blockCount >= blocked.blockNumber;
  }

  /** Whether the URL was blocked and the host has served no page requested since then. */
  isUnverified(url: string): boolean {
    return this.#urls.get(url)?.hostServesOthers === false;
  }

  /**
   * Records a block. Returns "url" if only this URL is blocked: it was blocked before, and the host has served other
   * pages since then.
   */
  recordBlock(url: string): "url" | "host" {
    const known = this.#urls.get(url);
    if (known?.hostServesOthers) return "url";
    this.#blockCount++;
    if (known === undefined) this.#urls.set(url, { blockNumber: this.#blockCount, hostServesOthers: false });
    const [oldest] = this.#urls.keys();
    if (this.#urls.size > MAX_URLS) this.#urls.delete(oldest!);
    return "host";
  }
}
