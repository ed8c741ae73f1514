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

type Leaf = Exclude<FilterNode, { readonly op: "and" | "or" | "not" }>;
/** A condition on the order of a value. */
export type RangeNode = Extract<FilterNode, { readonly op: "range" }>;

/** Returns conditions on a key's value that hold for all that matches a filter. */
function conditionsOn(key: string, filter: FilterNode | null): readonly Leaf[] {
  if (filter === null || filter.op === "or" || filter.op === "not") return [];
  if (filter.op === "and") return filter.nodes.flatMap((node) => conditionsOn(key, node));
  return filter.key === key ? [filter] : [];
}

/**
 * Returns the parts of an order that follow a place: those with values, then the passages without a value. A part is left
 * out if the filter's conditions on the key exclude it.
 */
export function partsOf({ key, order, filter, after }: PassagesQuery): readonly OrderPart[] {
  if (key === null) return [{ kind: null, filter, after }];
  const isAbsent: FilterNode = { op: "not", node: { op: "exists", key } };
  const absent = { kind: null, filter: filter ? ({ op: "and", nodes: [filter, isAbsent] } as const) : isAbsent };
  const kinds = order === "asc" ? KINDS : KINDS.toReversed();
  const parts = [...kinds.map((kind) => ({ kind, filter })), absent];
  const first = after === null ? 0 : parts.findIndex(({ kind }) => kind === kindOf(after.value));
  const following = parts.slice(first).map((part, index) => ({ ...part, after: index === 0 ? after : null }));
  const conditions = conditionsOn(key, filter);
  const ranges = conditions.filter(({ op }) => op === "range") as readonly RangeNode[];
  return following.filter(({ kind }) => {
    return kind === null ? conditions.length === 0 : ranges.every(({ value }) => kindOf(value) === kind);
  });
}

/** Returns at most two ranges that have the values of the key of all that matches the filter: where the order begins, and where it ends. */
export function boundsOf({ key, order, filter }: PassagesQuery): {
  readonly start: RangeNode | undefined;
  readonly end: RangeNode | undefined;
} {
  const conditions = key === null ? [] : conditionsOn(key, filter);
  const find = (isLower: boolean) => {
    return conditions.find(
      (node): node is RangeNode => node.op === "range" && node.comparison.startsWith("g") === isLower,
    );
  };
  return { start: find(order === "asc"), end: find(order !== "asc") };
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
