import { createHash } from "node:crypto";
import { type FilterScalar, filterableValue } from "../../filter.js";
import type { Metadata } from "../../types.js";

/** Fields derived from metadata so that filters are exact, whatever types and operators the vendor supports. */
export interface FilterFields {
  /** Strings. Each says that a key exists, equals or contains a value, or holds a string or a number. */
  readonly tokens: readonly string[];
  /** Values for range filters, by key. */
  readonly numbers: readonly (readonly [key: string, value: number])[];
  readonly strings: readonly (readonly [key: string, value: string])[];
}

const MAX_TOKEN_LENGTH = 64;
const MAX_NAME_LENGTH = 64;
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9_]*$/;

/** Derives the fields to store from a record's metadata. */
export function filterFields(metadata: Metadata): FilterFields {
  const tokens = new Set<string>();
  const numbers: [string, number][] = [];
  const strings: [string, string][] = [];
  for (const key of Object.keys(metadata)) {
    const value = filterableValue(metadata, key);
    if (value === undefined) continue;
    tokens.add(keyToken(key));
    for (const item of Array.isArray(value) ? value : [value]) tokens.add(valueToken(key, item));
    if (typeof value === "number") numbers.push([key, value]);
    if (typeof value === "string") strings.push([key, value]);
    if (typeof value === "number" || typeof value === "string") {
      tokens.add(typeToken(key, typeof value === "number" ? "number" : "string"));
    }
  }
  return { tokens: [...tokens], numbers, strings };
}

/** Returns the token for a key that has a filterable value. */
export function keyToken(key: string): string {
  return encodeToken([key]);
}

/** Returns the token for a key that equals or contains a value. It is typed, so that `"5"` differs from 5. */
export function valueToken(key: string, value: FilterScalar): string {
  return encodeToken([key, value]);
}

/** Returns the token for a key that holds a string, or for one that holds a number. */
export function typeToken(key: string, type: "string" | "number"): string {
  return encodeToken([key, null, type]);
}

/** Returns the field name for a key: the key itself if all vendors accept it, else part of its SHA-256. */
export function fieldName(key: string): string {
  if (key.length <= MAX_NAME_LENGTH && PLAIN_NAME.test(key)) return key;
  return `_${createHash("sha256").update(JSON.stringify(key)).digest("hex").slice(0, 32)}`;
}

/** Encodes a token as JSON, which distinguishes types, has one form per number, and never starts like a digest. */
function encodeToken(parts: readonly unknown[]): string {
  const text = JSON.stringify(parts);
  return text.length <= MAX_TOKEN_LENGTH ? text : `#${createHash("sha256").update(text).digest("base64url")}`;
}
