import robotsParserModule from "robots-parser";
import { ROBOT_NAME } from "./robots-directives.js";

// Its types describe a module that has a default export; it is the function itself.
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

/** As much of a robots.txt as is read (RFC 9309, section 2.5). */
export const MAX_ROBOTS_BYTES = 500 * 1024;

/** A site that asks for longer pauses between requests is crawled with this one. */
const MAX_DELAY_MS = 30_000;

/** Of rules that have a `*`, in characters: some 500 such rules. */
const MAX_WILDCARD_CHARS = 20_000;

/** What a robots.txt asks of us. */
export interface RobotsTxt {
  /** Of an address of the same origin. */
  allows(url: string): boolean;
  /** Between the starts of two requests, at most 30 s. */
  readonly delayMs: number;
  /** As they stand there. */
  readonly sitemaps: readonly string[];
}

export const NO_RULES: RobotsTxt = { allows: () => true, delayMs: 0, sitemaps: [] };

/** Reads a robots.txt (RFC 9309), and `Crawl-delay`, which is no part of the standard. */
export function parseRobotsTxt(origin: string, text: string): RobotsTxt {
  // A `Sitemap` between two names of a group must not end the group.
  const lines = text.slice(0, MAX_ROBOTS_BYTES).split(/\r\n|\r|\n/);
  const rules = lines.filter((line) => /^\s*(?:user-agent|allow|disallow|crawl-delay)\s*:/i.test(line));
  const sitemaps = lines.flatMap((line) => /^\s*sitemap\s*:\s*([^\s#]+)/i.exec(line)?.[1] ?? []);
  const robots = robotsParser(`${origin}/robots.txt`, withFewWildcards(rules).join("\n"));
  const delaySeconds = robots.getCrawlDelay(ROBOT_NAME) ?? 0;
  return {
    // A robots.txt always may be read.
    allows: (url) => new URL(url).pathname === "/robots.txt" || robots.isAllowed(url, ROBOT_NAME) !== false,
    delayMs: Math.min(MAX_DELAY_MS, Math.max(0, delaySeconds * 1000)),
    sitemaps,
  };
}

/**
 * Comparing an address with a rule that has a `*` takes the product of their lengths: a file full of them would take seconds for each
 * address. Beyond a bound such rules are read more strictly: what is disallowed up to their `*`, and nothing allowed.
 */
function withFewWildcards(rules: readonly string[]): string[] {
  let left = MAX_WILDCARD_CHARS;
  return rules.flatMap((rule) => {
    const single = rule.replace(/\*{2,}/g, "*");
    if (!single.includes("*") || /^\s*user-agent/i.test(single)) return single;
    left -= single.length;
    if (left >= 0) return single;
    return /^\s*disallow/i.test(single) ? single.slice(0, single.indexOf("*")) : [];
  });
}
