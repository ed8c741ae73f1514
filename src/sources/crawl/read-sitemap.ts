import { readText } from "../../parsers/read-text.js";
import { parseSitemap, type Sitemap } from "./parse-sitemap.js";

/** A sitemap as it was received, unpacked. */
export interface ReceivedSitemap {
  readonly bytes: Uint8Array;
  readonly maxAddresses: number;
}

/** Decodes a sitemap, and reads it as {@link parseSitemap} does. */
export async function readSitemap({ bytes, maxAddresses }: ReceivedSitemap): Promise<Sitemap> {
  return parseSitemap((await readText(bytes)).text, maxAddresses);
}
