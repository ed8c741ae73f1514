import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { KnowledgeBaseError } from "../../errors.js";
import { readText } from "../../parsers/read-text.js";
import type { CrawlLimits } from "./crawl-limits.js";
import { pageKey, siteOf } from "./page-key.js";
import { parseSitemap } from "./parse-sitemap.js";
import { readBytes } from "./read-bytes.js";
import type { Requests } from "./requests.js";
import type { RobotsTxt } from "./robots-txt.js";

/** The protocol's own limits of one file. */
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_ADDRESSES = 50_000;
/** Ours, for all files of a site. */
const MAX_FILES = 50;
/** An index of sitemaps, and one below it: the protocol has one level. */
const MAX_LEVELS = 3;

/** What the sitemaps of a site brought. */
export interface SiteSitemaps {
  /** Of pages, as they stand there; on the site or not. At most 50,000. */
  readonly addresses: readonly string[];
  /** Files that were read. */
  readonly files: number;
  /** Files that couldn't be had or weren't asked for: missing, too large, damaged, or more than 50. */
  readonly failed: number;
}

export interface ReadSitemapsOptions {
  /** Any address of the site. */
  readonly start: URL;
  readonly robots: RobotsTxt;
  readonly requests: Requests;
  readonly limits: CrawlLimits;
  readonly signal?: AbortSignal | undefined;
}

/** Reads the sitemaps that robots.txt names, and `/sitemap.xml`. One that can't be had takes none of the others with it. */
export async function readSitemaps(options: ReadSitemapsOptions): Promise<SiteSitemaps> {
  const { start, robots } = options;
  const usual = new URL("/sitemap.xml", start).href;
  const named = robots.sitemaps.flatMap((address) =>
    URL.canParse(address, start.href) ? new URL(address, start).href : [],
  );
  let level = named.includes(usual) || !robots.allows(usual) ? named : [...named, usual];
  const seen = new Set<string>();
  const addresses: string[] = [];
  let files = 0;
  let failed = 0;
  for (let depth = 0; depth < MAX_LEVELS && level.length > 0; depth++) {
    const below: string[] = [];
    for (const address of level) {
      if (addresses.length >= MAX_ADDRESSES || seen.has(pageKey(address))) continue;
      seen.add(pageKey(address));
      const text = files + failed < MAX_FILES ? await readSitemap(address, options) : null;
      if (text === null) {
        // The usual place need not have one.
        if (address !== usual || named.includes(usual)) failed++;
        continue;
      }
      files++;
      const sitemap = parseSitemap(text, MAX_ADDRESSES - addresses.length);
      if (!sitemap.isIndex) addresses.push(...sitemap.addresses);
      else
        below.push(
          ...sitemap.addresses.filter((found) => URL.canParse(found) && siteOf(new URL(found)) === siteOf(start)),
        );
    }
    level = below;
  }
  return { addresses, files, failed: failed + level.length };
}

/** The text of a sitemap; null where it can't be had. */
async function readSitemap(address: string, options: ReadSitemapsOptions): Promise<string | null> {
  const { requests, limits, robots, signal } = options;
  const request = { followRedirects: true, delayMs: robots.delayMs, maxBytes: MAX_BYTES, signal };
  try {
    const bytes = await requests.send(address, request, async (response) =>
      response.ok ? readBytes(response, { maxBytes: MAX_BYTES, totalMs: limits.fileMs }) : null,
    );
    return bytes === null ? null : (await readText(await unpacked(bytes))).text;
  } catch (error) {
    signal?.throwIfAborted();
    if (KnowledgeBaseError.is(error)) return null;
    throw error;
  }
}

async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    throw new KnowledgeBaseError("invalid_input", "The sitemap is damaged, or too large.", { cause });
  }
}
