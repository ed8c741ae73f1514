import type { FilterNode, FilterScalar } from "../filter.js";
import type { ListPosition, PassagesQuery } from "./search-index.js";

/** The kinds of rows of the metadata index that have an order, in ascending order; all lists are equal. */
const KINDS = ["b", "n", "s", "l"] as const;

/** A part of an order, all of whose passages come before those of the next part. */
export interface OrderPart {
  /** The kind of the values in the metadata index; `null` if the part is ordered by documents alone. */
  readonly kind: (typeof KINDS)[number] | null;
  /** The conditions on the passages of the part; `null` for none. */
  readonly filter: FilterNode | null;
  /** The place after which the part begins; `null` for its start. */
  readonly after: ListPosition | null;
}

/** Returns the parts of an order that follow a place: those with values, then the passages without a value. */
export function partsOf({ key, order, filter, after }: PassagesQuery): readonly OrderPart[] {
  if (key === null) return [{ kind: null, filter, after }];
  const isAbsent: FilterNode = { op: "not", node: { op: "exists", key } };
  const absent = { kind: null, filter: filter ? ({ op: "and", nodes: [filter, isAbsent] } as const) : isAbsent };
  const kinds = order === "asc" ? KINDS : KINDS.toReversed();
  const parts = [...kinds.map((kind) => ({ kind, filter })), absent];
  const first = after === null ? 0 : parts.findIndex(({ kind }) => kind === kindOf(after.value));
  return parts.slice(first).map((part, index) => ({ ...part, after: index === 0 ? after : null }));
}

function kindOf(value: ListPosition["value"]): OrderPart["kind"] {
  if (value === null) return null;
  return Array.isArray(value) ? "l" : ({ boolean: "b", number: "n", string: "s" } as const)[typeof value as "string"];
}

/** Returns the value of a position as it is compared: that of all lists is 0, and so is `false`. */
export function comparedValue(value: FilterScalar | readonly []): string | number {
  return typeof value === "object" ? 0 : typeof value === "boolean" ? Number(value) : value;
}

/** Returns the value of a position from the kind and the value of its row. */
export function positionValue(kind: OrderPart["kind"], value: string | number | null): ListPosition["value"] {
  if (kind === null || value === null) return null;
  return kind === "l" ? [] : kind === "b" ? value === 1 : value;
}
