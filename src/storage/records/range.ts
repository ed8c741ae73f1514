import type { SqlValue } from "../sql-value.js";
import type { SqlFragment } from "../tx.js";

/** Rows on one side of a sequence number, nearest first. */
export interface RowRange {
  /** The sequence number; `null` for all rows. */
  readonly after: number | null;
  readonly direction: "asc" | "desc";
  /** The number of rows to skip. */
  readonly offset: number;
  readonly limit: number;
}

/** An SQL condition with its parameters. */
export type Condition = readonly [sql: string, ...parameters: SqlValue[]];

/** Returns `WHERE …` for rows that meet every condition that is not `null`; an empty text without conditions. */
export function whereAll(conditions: readonly (Condition | null)[]): SqlFragment {
  const all = conditions.filter((condition) => condition !== null);
  return {
    sql: all.length === 0 ? "" : `WHERE ${all.map(([sql]) => sql).join(" AND ")}`,
    parameters: all.flatMap(([, ...parameters]) => parameters),
  };
}

/** Returns the SQL after `FROM …` for a range of the rows that meet every condition. */
export function inRange(
  { after, direction, offset, limit }: RowRange,
  conditions: readonly (Condition | null)[],
): SqlFragment {
  const position: Condition | null = after === null ? null : [`seq ${direction === "asc" ? ">" : "<"} ?`, after];
  const { sql, parameters } = whereAll([...conditions, position]);
  return { sql: `${sql} ORDER BY seq ${direction} LIMIT ? OFFSET ?`, parameters: [...parameters, limit, offset] };
}

/** Returns the condition that a column has one of the given values; `null` if `values` is undefined. */
export function inList(column: string, values: readonly string[] | undefined): Condition | null {
  if (values === undefined) return null;
  return [values.length === 0 ? "1 = 0" : `${column} IN (${values.map(() => "?").join(", ")})`, ...values];
}
