import robotsParserModule from "robots-parser";
import { ROBOT_NAME } from "./robots-directives.js";

// The package's types declare a default export, but the module is the function itself.
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

/** RFC 9309, section 2.5. The rest of a longer file is ignored. */
export const MAX_ROBOTS_BYTES = 500 * 1024;

/** A longer `Crawl-delay` is reduced to this value. */
const MAX_DELAY_MS = 30_000;

/** The total length of the rules with a `*` that are kept: about 500 rules. */
const MAX_WILDCARD_CHARS = 20_000;

/** The rules of a robots.txt for this crawler. */
export interface RobotsTxt {
  /** @param url A URL of the same origin. */
  allows(url: string): boolean;
  /** Minimum time between the starts of two requests, at most 30 s. */
  readonly delayMs: number;
  /** The URLs as written in the file, not resolved. */
  readonly sitemaps: readonly string[];
}

export const NO_RULES: RobotsTxt = { allows: () => true, delayMs: 0, sitemaps: [] };

/** Parses a robots.txt (RFC 9309), including `Crawl-delay`, which is not part of the standard. */
export function parseRobotsTxt(origin: string, text: string): RobotsTxt {
  // A `Sitemap` line between two user agents of a group must not end the group.
  const lines = text.slice(0, MAX_ROBOTS_BYTES).split(/\r\n|\r|\n/);
  const rules = lines.filter((line) => /^\s*(?:user-agent|allow|disallow|crawl-delay)\s*:/i.test(line));
  const sitemaps = lines.flatMap((line) => /^\s*sitemap\s*:\s*([^\s#]+)/i.exec(line)?.[1] ?? []);
  const robots = robotsParser(`${origin}/robots.txt`, limitWildcards(rules).join("\n"));
  const delaySeconds = robots.getCrawlDelay(ROBOT_NAME) ?? 0;
  return {
    // robots.txt itself is always allowed.
    allows: (url) => new URL(url).pathname === "/robots.txt" || robots.isAllowed(url, ROBOT_NAME) !== false,
    delayMs: Math.min(MAX_DELAY_MS, Math.max(0, delaySeconds * 1000)),
    sitemaps,
  };
}

/**
 * Limits the total length of the rules with a `*`. Matching a URL against such a rule takes time proportional to the
 * product of their lengths, so a file full of these rules would take seconds per URL. Beyond the limit, a `Disallow` is
 * cut off at its `*` and an `Allow` is dropped, which makes the rules stricter.
 */
function limitWildcards(rules: readonly string[]): string[] {
  let remaining = MAX_WILDCARD_CHARS;
  return rules.flatMap((rule) => {
    const single = rule.replace(/\*{2,}/g, "*");
    if (!single.includes("*") || /^\s*user-agent/i.test(single)) return single;
    remaining -= single.length;
    if (remaining >= 0) return single;
    return /^\s*disallow/i.test(single) ? single.slice(0, single.indexOf("*")) : [];
  });
}
