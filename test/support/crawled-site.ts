import type { IngestJob, NamespaceHandle } from "lorebase";
import { afterAll } from "vitest";
import { newNamespace, openKnowledgeBase } from "./knowledge-base.js";
import { leapingClock } from "./leaping-clock.js";
import type { SmallSite } from "./small-site.js";

export interface CrawledSite {
  readonly space: NamespaceHandle;
  /** Crawls it anew. */
  again(): Promise<IngestJob>;
  /** How the crawls have ended, one after the other. */
  ended(): Promise<string[]>;
  /** The paths of its documents, sorted. */
  documents(): Promise<string[]>;
}

/** One for all sites of a test file. */
const kb = openKnowledgeBase({
  directory: ":memory:",
  worker: false,
  network: { allowPrivateHosts: ["127.0.0.1"] },
  clock: leapingClock(),
});
afterAll(() => kb.close());

/** A namespace with the crawl of a site. */
export async function crawledSite(site: SmallSite, options: { readonly limit?: number } = {}): Promise<CrawledSite> {
  const space = await newNamespace(kb);
  const run = await space.ingest({ type: "CRAWL", url: site.origin, ...options });
  await kb.drain();
  return {
    space,
    async again() {
      site.requests.length = 0;
      const next = await space.ingestJobs.reingest(run.id);
      await kb.drain();
      return next.done();
    },
    async ended() {
      const ends: string[] = [];
      for await (const event of run.events()) if (event.type === "crawl.ended") ends.push(event.ended);
      return ends;
    },
    async documents() {
      const paths: string[] = [];
      for await (const { source } of space.documents.iterate()) {
        if (source.type === "CRAWLED_PAGE") paths.push(source.url.slice(site.origin.length));
      }
      return paths.toSorted();
    },
  };
}
