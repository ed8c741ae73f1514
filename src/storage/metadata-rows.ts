import { type FilterScalar, filterableValue } from "../filter.js";
import type { Metadata } from "../types.js";

/** A row of the metadata index. */
export interface MetadataRow {
  readonly key: string;
  /** A string, number, boolean, element of a list, or a list, which may be empty. */
  readonly kind: "s" | "n" | "b" | "a" | "l";
  readonly value: string | number;
}

/** Returns the rows of one chunk in the metadata index. */
export function metadataRows(metadata: Metadata, headings: readonly string[]): readonly MetadataRow[] {
  const filterableMetadata: Metadata =
    headings.length > 0 && !Object.hasOwn(metadata, "headings") ? { ...metadata, headings } : metadata;
  return Object.keys(filterableMetadata).flatMap((key) => rowsOfKey(key, filterableValue(filterableMetadata, key)));
}

function rowsOfKey(name: string, value: ReturnType<typeof filterableValue>): MetadataRow[] {
  const key = name.toWellFormed();
  switch (typeof value) {
    case "undefined":
      return [];
    case "string":
      return [{ key, kind: "s", value }];
    case "number":
      return [{ key, kind: "n", value }];
    case "boolean":
      return [{ key, kind: "b", value: value ? 1 : 0 }];
    default:
      return [{ key, kind: "l", value: 0 }, ...value.map((item) => ({ key, kind: "a" as const, value: item }))];
  }
}

/** Groups the values that a condition allows by the kinds of rows that may equal them; as a list in SQL. */
export function valuesByKind(
  values: readonly FilterScalar[],
): readonly { readonly kinds: string; readonly values: readonly FilterScalar[] }[] {
  return [
    { kinds: "'s', 'a'", values: values.filter((value) => typeof value === "string") },
    { kinds: "'n'", values: values.filter((value) => typeof value === "number") },
    { kinds: "'b'", values: values.filter((value) => typeof value === "boolean") },
  ].filter(({ values }) => values.length > 0);
}
