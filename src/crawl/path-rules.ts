import { KnowledgeBaseError } from "../errors.js";
import { normalizePath } from "./page-key.js";

/**
 * The include and exclude paths of a crawl. A rule is a path that matches itself and all paths below it: `/docs`
 * matches `/docs`, `/docs/` and `/docs/a`, not `/docs-old`. A rule that ends with `*`, or with a character other than a
 * letter, a digit or a slash, is a prefix: `/blog/2026-`. The leading slash is optional, letter case is significant,
 * and queries are ignored.
 */
export class PathRules {
  readonly #include: readonly PathMatcher[];
  readonly #exclude: readonly PathMatcher[];

  /** @throws KnowledgeBaseError `invalid_input` for a rule that is not a path */
  constructor(include: readonly string[] = [], exclude: readonly string[] = []) {
    this.#include = include.map((rule, index) => parseRule(rule, `includePaths[${index}]`));
    this.#exclude = exclude.map((rule, index) => parseRule(rule, `excludePaths[${index}]`));
  }

  isIncluded(url: URL): boolean {
    const path = normalizePath(url);
    if (this.#exclude.some((matches) => matches(path))) return false;
    return this.#include.length === 0 || this.#include.some((matches) => matches(path));
  }
}

/** Returns whether a path matches a rule. */
type PathMatcher = (path: string) => boolean;

function parseRule(rule: string, field: string): PathMatcher {
  const trimmed = rule.trim();
  if (trimmed === "" || /[?#]|:\/\//.test(trimmed) || trimmed.slice(0, -1).includes("*")) {
    const expected = 'a path like "/docs", or the start of one like "/blog/2026-" or "/blog/2*"';
    const message = `${JSON.stringify(rule)} must be ${expected}`;
    throw new KnowledgeBaseError("invalid_input", `${field}: ${message}`, { issues: [{ field, message }] });
  }
  const path = trimmed.replace(/\*$/, "");
  const isPrefix = path !== trimmed || /[^\p{L}\p{N}/]$/u.test(path);
  const url = new URL("http://site/");
  url.pathname = path.startsWith("/") ? path : `/${path}`;
  const normalized = normalizePath(url);
  if (isPrefix) {
    const start = /\/$/.test(url.pathname) && normalized !== "/" ? `${normalized}/` : normalized;
    return (candidate) => candidate.startsWith(start);
  }
  if (normalized === "/") return () => true;
  return (candidate) => candidate === normalized || candidate.startsWith(`${normalized}/`);
}
