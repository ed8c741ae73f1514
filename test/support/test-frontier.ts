import { MemoryFrontier } from "#dist/crawl/memory-frontier.js";
import type { FetchedPage, FrontierPage, PreviousFetch } from "../../src/crawl/frontier.js";

export type EarlierPage = PreviousFetch & Pick<FetchedPage, "links">;

/** A frontier in memory, with the pages of an earlier crawl by key. */
export class TestFrontier extends MemoryFrontier {
  readonly #previous: ReadonlyMap<string, EarlierPage>;

  constructor(previous: ReadonlyMap<string, EarlierPage> = new Map()) {
    super();
    this.#previous = previous;
  }

  override async next(count: number, except: ReadonlySet<string>): Promise<FrontierPage[]> {
    return (await super.next(count, except)).map((page) => {
      const previous = this.#previous.get(page.key) ?? null;
      return { ...page, previous, links: previous?.links ?? null };
    });
  }

  override async findByContentHash(contentHash: string): Promise<string | null> {
    const unchanged = [...this.rows].find(
      ([key, { outcome }]) => outcome?.kind === "unchanged" && this.#previous.get(key)?.contentHash === contentHash,
    );
    return unchanged?.[0] ?? super.findByContentHash(contentHash);
  }

  /** The URLs of the documents, sorted. */
  documents(): string[] {
    return [...this.rows.values()]
      .flatMap(({ outcome }) => (outcome?.kind === "document" ? outcome.page.url : []))
      .sort();
  }
}
