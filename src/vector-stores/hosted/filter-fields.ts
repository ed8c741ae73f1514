import { createHash } from "node:crypto";
import { type FilterScalar, filterable } from "../../filter.js";
import type { Metadata } from "../../types.js";

/** What a store needs of metadata to filter by it exactly, whatever its own types and operators do. */
export interface FilterFields {
  /** What is true of the metadata, as texts: that a key is there, has or contains a value, holds a string or a number. */
  readonly tokens: readonly string[];
  /** For ranges, by key. */
  readonly numbers: readonly (readonly [key: string, value: number])[];
  readonly strings: readonly (readonly [key: string, value: string])[];
}

const LONGEST_TOKEN = 64;
const LONGEST_NAME = 64;
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9_]*$/;

export function filterFields(metadata: Metadata): FilterFields {
  const tokens = new Set<string>();
  const numbers: [string, number][] = [];
  const strings: [string, string][] = [];
  for (const key of Object.keys(metadata)) {
    const value = filterable(metadata, key);
    if (value === undefined) continue;
    tokens.add(keyToken(key));
    for (const item of Array.isArray(value) ? value : [value]) tokens.add(valueToken(key, item));
    if (typeof value === "number") numbers.push([key, value]);
    if (typeof value === "string") strings.push([key, value]);
    if (typeof value === "number" || typeof value === "string") {
      tokens.add(orderedToken(key, typeof value === "number" ? "number" : "string"));
    }
  }
  return { tokens: [...tokens], numbers, strings };
}

/** Says that a key has a value that filters see. */
export function keyToken(key: string): string {
  return token([key]);
}

/** Says that a key has a value, or an array with it: of the same type, so that `"5"` is no 5. */
export function valueToken(key: string, value: FilterScalar): string {
  return token([key, value]);
}

/** Says that a key has a string, or a number. */
export function orderedToken(key: string, type: "string" | "number"): string {
  return token([key, null, type]);
}

/** A key as part of a field's name: as it stands where any vendor takes it, else its SHA-256. */
export function fieldName(key: string): string {
  if (key.length <= LONGEST_NAME && PLAIN_NAME.test(key)) return key;
  return `_${createHash("sha256").update(JSON.stringify(key)).digest("hex").slice(0, 32)}`;
}

/** JSON keeps types apart, writes each number in one way, and begins otherwise than a digest. */
function token(parts: readonly unknown[]): string {
  const text = JSON.stringify(parts);
  return text.length <= LONGEST_TOKEN ? text : `#${createHash("sha256").update(text).digest("base64url")}`;
}
