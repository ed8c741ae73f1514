import type { BlockList } from "../shared/blocks/block-list.js";

/** Objects and arrays nested deeper than this become lines `path: value` instead of sections. */
const MAX_SECTION_DEPTH = 3;
/** The maximum number of keys shown before a value. Longer paths lose their outermost keys. */
const MAX_SHOWN_KEYS = 6;

/** The last key of a path in a JSON value, linked to the path of its container. */
interface Path {
  readonly key: string;
  readonly parent: Path | null;
}

interface Node {
  readonly value: unknown;
  readonly path: Path | null;
}

/**
 * Adds a parsed JSON value. Objects and arrays of objects within an object become sections under their keys, items of
 * an array become paragraphs, and other values become lines `path: value`.
 */
export function jsonToBlocks(list: BlockList, value: unknown, level = 1): void {
  if (Array.isArray(value)) {
    for (const item of value) list.addMarkdown("paragraph", multilineText(item));
    return;
  }
  if (!isObject(value) || level > MAX_SECTION_DEPTH) {
    list.addMarkdown("paragraph", multilineText(value));
    return;
  }
  const entries = Object.entries(value);
  const sections = entries.filter(([, item]) => isSection(item));
  const inlineEntries = entries.filter(([, item]) => !isSection(item));
  list.addMarkdown(
    "paragraph",
    inlineEntries.map(([key, item]) => multilineText(item, { key, parent: null })).join("\n"),
  );
  for (const [key, item] of sections) {
    list.heading(level, key.trim() === "" ? '""' : key);
    jsonToBlocks(list, item, level + 1);
  }
}

/** Returns whether a value gets a heading: a non-empty object, or an array that contains objects or arrays. */
function isSection(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === "object" && item !== null);
  return isObject(value) && Object.keys(value).length > 0;
}

/**
 * Returns a text with a line `path: value` for every value within `root`. Walks without recursion, since the depth is
 * unlimited.
 */
function multilineText(root: unknown, path: Path | null = null): string {
  const lines: string[] = [];
  const pending: Node[] = [{ value: root, path }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const leaf = leafText(next.value);
    if (leaf === null) for (const child of childrenOf(next).reverse()) pending.push(child);
    else if (leaf !== "") lines.push(lineOf(next.path, leaf));
  }
  return lines.join("\n");
}

/** Returns a scalar, or an array of scalars, as text on one line, or `null` for any other container. */
function leafText(value: unknown): string | null {
  if (Array.isArray(value)) {
    const hasOnlyScalars = value.every((item) => typeof item !== "object" || item === null);
    return hasOnlyScalars ? value.map(String).join(", ") : null;
  }
  return isObject(value) ? null : String(value);
}

/** Returns the items of an array, numbered from 1, or the fields of an object. */
function childrenOf({ value, path }: Node): Node[] {
  if (Array.isArray(value))
    return value.map((item, index) => ({ value: item, path: { key: String(index + 1), parent: path } }));
  return Object.entries(value as object).map(([key, item]) => ({ value: item, path: { key, parent: path } }));
}

function lineOf(path: Path | null, value: string): string {
  const keys: string[] = [];
  let rest = path;
  while (rest !== null && keys.length < MAX_SHOWN_KEYS) {
    keys.unshift(rest.key);
    rest = rest.parent;
  }
  if (rest !== null) keys.unshift("…");
  return keys.length === 0 ? value : `${keys.join(".")}: ${value}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
