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

/** A part of a query with its parameters. */
export interface SqlPart {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** `WHERE …` for rows that meet every condition; `null` is none. Empty without conditions. */
export function whereAll(conditions: readonly (Condition | null)[]): SqlPart {
  const all = conditions.filter((condition) => condition !== null);
  return {
    sql: all.length === 0 ? "" : `WHERE ${all.map(([sql]) => sql).join(" AND ")}`,
    parameters: all.flatMap(([, ...parameters]) => parameters),
  };
}

/** The SQL after `FROM …` for a range of the rows that meet every condition. */
export function inRange(
  { after, direction, offset, limit }: RowRange,
  conditions: readonly (Condition | null)[],
): SqlPart {
  const beyond: Condition | null = after === null ? null : [`seq ${direction === "asc" ? ">" : "<"} ?`, after];
  const { sql, parameters } = whereAll([...conditions, beyond]);
  return { sql: `${sql} ORDER BY seq ${direction} LIMIT ? OFFSET ?`, parameters: [...parameters, limit, offset] };
}

/** A condition that a column has one of some values; `null`, no condition, without values. */
export function among(column: string, values: readonly string[] | undefined): Condition | null {
  if (values === undefined) return null;
  return [values.length === 0 ? "1 = 0" : `${column} IN (${values.map(() => "?").join(", ")})`, ...values];
}
