import { KnowledgeBaseError } from "../errors.js";
import { normalizedPath } from "./page-key.js";

/**
 * Which paths a crawl wants. A rule is a path and stands for itself and all below it: `/docs` for `/docs`, `/docs/` and `/docs/a`, not for
 * `/docs-old`. One that ends within a name, with another sign than a letter, a digit or a slash, stands for all paths that begin like it:
 * `/blog/2026-`; so does one that ends with `*`, which is no part of it. The slash at its beginning may be missing; letter case counts;
 * queries don't.
 */
export class PathRules {
  readonly #include: readonly Rule[];
  readonly #exclude: readonly Rule[];

  /** @throws KnowledgeBaseError `invalid_input` for a rule that is no path */
  constructor(include: readonly string[] = [], exclude: readonly string[] = []) {
    this.#include = include.map((rule, index) => readRule(rule, `includePaths[${index}]`));
    this.#exclude = exclude.map((rule, index) => readRule(rule, `excludePaths[${index}]`));
  }

  admits(url: URL): boolean {
    const path = normalizedPath(url);
    if (this.#exclude.some((rule) => rule(path))) return false;
    return this.#include.length === 0 || this.#include.some((rule) => rule(path));
  }
}

type Rule = (path: string) => boolean;

function readRule(rule: string, field: string): Rule {
  const given = rule.trim();
  if (given === "" || /[?#]|:\/\//.test(given) || given.slice(0, -1).includes("*")) {
    const message = `${JSON.stringify(rule)} must be a path, as in "/docs", or the beginning of one, as in "/blog/2026-" or "/blog/2*"`;
    throw new KnowledgeBaseError("invalid_input", `${field}: ${message}`, { issues: [{ field, message }] });
  }
  const path = given.replace(/\*$/, "");
  const isOpen = path !== given || /[^\p{L}\p{N}/]$/u.test(path);
  const url = new URL("http://site/");
  url.pathname = path.startsWith("/") ? path : `/${path}`;
  const normalized = normalizedPath(url);
  if (isOpen) {
    const start = /\/$/.test(url.pathname) && normalized !== "/" ? `${normalized}/` : normalized;
    return (candidate) => candidate.startsWith(start);
  }
  if (normalized === "/") return () => true;
  return (candidate) => candidate === normalized || candidate.startsWith(`${normalized}/`);
}
