import type { SqlValue } from "../tx.js";

/** Rows on one side of a sequence number, nearest first. */
export interface RowRange {
  readonly after: number | null;
  readonly direction: "asc" | "desc";
  /** Rows to skip first. */
  readonly offset: number;
  readonly limit: number;
}

/** A condition of a list, with its parameters. */
export type Condition = readonly [sql: string, ...parameters: SqlValue[]];

/** The SQL after `FROM …` for a range of the rows that meet every condition, and its parameters. */
export function inRange(
  { after, direction, offset, limit }: RowRange,
  conditions: readonly (Condition | null)[],
): { readonly sql: string; readonly parameters: readonly SqlValue[] } {
  const all = conditions.filter((condition) => condition !== null);
  if (after !== null) all.push([`seq ${direction === "asc" ? ">" : "<"} ?`, after]);
  const where = all.length === 0 ? "" : `WHERE ${all.map(([sql]) => sql).join(" AND ")}`;
  return {
    sql: `${where} ORDER BY seq ${direction} LIMIT ? OFFSET ?`,
    parameters: [...all.flatMap(([, ...parameters]) => parameters), limit, offset],
  };
}

/** A condition that a column has one of some values; `null`, no condition, without values. */
export function among(column: string, values: readonly string[] | undefined): Condition | null {
  if (values === undefined) return null;
  return [values.length === 0 ? "1 = 0" : `${column} IN (${values.map(() => "?").join(", ")})`, ...values];
}
