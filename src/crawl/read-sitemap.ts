import { readText } from "../parsers/shared/charset/read-text.js";
import { parseSitemap, type Sitemap } from "./parse-sitemap.js";
import { sitemapState } from "./sitemap-state.js";

/** A sitemap as it was received, unpacked. */
export interface ReceivedSitemap {
  readonly bytes: Uint8Array;
  readonly maxAddresses: number;
}

export interface ReadSitemap extends Sitemap {
  /** As {@link sitemapState} has it. */
  readonly state: ReturnType<typeof sitemapState>;
}

/** Decodes a sitemap, and reads it as {@link parseSitemap} does. */
export async function readSitemap({ bytes, maxAddresses }: ReceivedSitemap): Promise<ReadSitemap> {
  const { text } = await readText(bytes);
  return { ...parseSitemap(text, maxAddresses), state: sitemapState(text) };
}
