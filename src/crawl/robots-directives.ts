/** What a page asks of crawlers in its `robots` meta elements and `X-Robots-Tag` headers. */
export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

/** The crawler's name in robots.txt, meta elements and headers. */
export const ROBOT_NAME = "lorebase";

const ALL_ALLOWED: RobotsDirectives = { noindex: false, nofollow: false };

/** Parses the content of a `robots` meta element, e.g. `noindex, nofollow`. */
export function parseMetaDirectives(content: string): RobotsDirectives {
  const directives = content.toLowerCase().split(/[\s,]+/);
  const hasNone = directives.includes("none");
  return { noindex: hasNone || directives.includes("noindex"), nofollow: hasNone || directives.includes("nofollow") };
}

/**
 * Parses `X-Robots-Tag` headers, joined by commas. A crawler's name limits the directives after it to that crawler,
 * until the next name. Directives with a value, e.g. `unavailable_after: …`, look like names, but aren't.
 */
export function parseHeaderDirectives(header: string | null): RobotsDirectives {
  let appliesHere = true;
  let directives = ALL_ALLOWED;
  for (const part of (header ?? "").split(",")) {
    const [, name, rest] = /^\s*([\w-]+)\s*:(.*)$/s.exec(part) ?? [];
    const isName = name !== undefined && !/^(?:unavailable_after|max-[a-z-]+)$/i.test(name);
    if (isName) appliesHere = name.toLowerCase() === ROBOT_NAME;
    if (appliesHere) directives = mergeDirectives(directives, parseMetaDirectives(isName ? rest! : part));
  }
  return directives;
}

export function mergeDirectives(a: RobotsDirectives, b: RobotsDirectives): RobotsDirectives {
  return { noindex: a.noindex || b.noindex, nofollow: a.nofollow || b.nofollow };
}
