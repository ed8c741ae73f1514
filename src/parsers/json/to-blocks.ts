import type { BlockList } from "../shared/blocks/block-list.js";

/** Containers nested deeper than this become lines of `path: value` instead of sections. */
const SECTION_DEPTH = 3;
/** Keys shown before a value; outer ones of a longer path are omitted. */
const MAX_SHOWN_KEYS = 6;

/** A path in a JSON value, linked to the container around it. */
interface Path {
  readonly key: string;
  readonly parent: Path | null;
}

interface Node {
  readonly value: unknown;
  readonly path: Path | null;
}

/**
 * Adds a parsed JSON value as readable blocks: a container within an object becomes a section under its key, each
 * object of an array a record, and every other value a line `path: value`. Depth is limited only by memory.
 */
export function jsonToBlocks(list: BlockList, value: unknown, level = 1): void {
  if (Array.isArray(value)) {
    for (const item of value) list.add("paragraph", linesOf(item));
    return;
  }
  if (!isObject(value) || level > SECTION_DEPTH) {
    list.add("paragraph", linesOf(value));
    return;
  }
  const entries = Object.entries(value);
  const sections = entries.filter(([, item]) => isSection(item));
  const simple = entries.filter(([, item]) => !isSection(item));
  list.add("paragraph", simple.map(([key, item]) => linesOf(item, { key, parent: null })).join("\n"));
  for (const [key, item] of sections) {
    list.heading(level, key.trim() === "" ? '""' : key);
    jsonToBlocks(list, item, level + 1);
  }
}

/** Whether a value gets a heading: an object, or an array with containers in it. */
function isSection(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === "object" && item !== null);
  return isObject(value) && Object.keys(value).length > 0;
}

/** Every value within `root` as a line `path: value`, walked without recursion. */
function linesOf(root: unknown, path: Path | null = null): string {
  const lines: string[] = [];
  const pending: Node[] = [{ value: root, path }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const leaf = leafOf(next.value);
    if (leaf === null) for (const child of childrenOf(next).reverse()) pending.push(child);
    else if (leaf !== "") lines.push(lineOf(next.path, leaf));
  }
  return lines.join("\n");
}

/** The text of a value on one line; `null` for a container whose children become lines. */
function leafOf(value: unknown): string | null {
  if (Array.isArray(value)) {
    const simple = value.every((item) => typeof item !== "object" || item === null);
    return simple ? value.map(String).join(", ") : null;
  }
  return isObject(value) ? null : String(value);
}

/** The items of an array, numbered from 1, or the fields of an object. */
function childrenOf({ value, path }: Node): Node[] {
  if (Array.isArray(value))
    return value.map((item, index) => ({ value: item, path: { key: String(index + 1), parent: path } }));
  return Object.entries(value as object).map(([key, item]) => ({ value: item, path: { key, parent: path } }));
}

function lineOf(path: Path | null, value: string): string {
  const keys: string[] = [];
  let node = path;
  while (node !== null && keys.length < MAX_SHOWN_KEYS) {
    keys.unshift(node.key);
    node = node.parent;
  }
  if (node !== null) keys.unshift("…");
  return keys.length === 0 ? value : `${keys.join(".")}: ${value}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
