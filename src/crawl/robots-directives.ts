/** What a page asks of robots. */
export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

/** Our name in robots.txt, in `meta` elements and in headers. */
export const ROBOT_NAME = "lorebase";

export const ALL_ALLOWED: RobotsDirectives = { noindex: false, nofollow: false };

/** Reads the content of a `robots` meta element, as in `noindex, nofollow`. */
export function metaDirectives(content: string): RobotsDirectives {
  const directives = content.toLowerCase().split(/[\s,]+/);
  const none = directives.includes("none");
  return { noindex: none || directives.includes("noindex"), nofollow: none || directives.includes("nofollow") };
}

/**
 * Reads an `X-Robots-Tag`, several of which are joined by commas. A name before directives says whom they are for, until the next name;
 * `unavailable_after` and others that have a value are no name.
 */
export function headerDirectives(header: string | null): RobotsDirectives {
  let isOurs = true;
  let found = ALL_ALLOWED;
  for (const part of (header ?? "").split(",")) {
    const [, name, rest] = /^\s*([\w-]+)\s*:(.*)$/s.exec(part) ?? [];
    const isName = name !== undefined && !/^(?:unavailable_after|max-[a-z-]+)$/i.test(name);
    if (isName) isOurs = name.toLowerCase() === ROBOT_NAME;
    if (isOurs) found = either(found, metaDirectives(isName ? rest! : part));
  }
  return found;
}

export function either(a: RobotsDirectives, b: RobotsDirectives): RobotsDirectives {
  return { noindex: a.noindex || b.noindex, nofollow: a.nofollow || b.nofollow };
}
