import type { SqlValue } from "./sql-value.js";

/** A value of each column, in their order. */
export type StatementRow = readonly SqlValue[];

/**
 * A statement that is run for each of several rows of values. A database server runs it once for all of them.
 *
 * In its text, `$name` is the row's value of a column. `$from` follows what changes or is inserted, `$using` the
 * table of a DELETE, `$join` the tables of a query, and `$order` ends an INSERT, whose rows are inserted in their order.
 *
 * @example
 * const rename = {
 *   columns: { seq: "bigint", name: "text" },
 *   sql: "UPDATE documents SET name = $name $from WHERE seq = $seq",
 * };
 */
export interface RowStatement {
  readonly columns: Readonly<Record<string, "bigint" | "text" | "bytea">>;
  readonly sql: string;
}

const TOKENS = /\$([a-z_]+)/g;
const CLAUSES = ["from", "using", "join", "order"];

/** A statement for one row. Placeholders are written `?`. */
export interface SingleStatement {
  readonly sql: string;
  parameters(row: StatementRow): SqlValue[];
}

/** Converts a statement to one for a single row. */
export function forOneRow({ columns, sql }: RowStatement): SingleStatement {
  const names = Object.keys(columns);
  const used: number[] = [];
  const text = sql.replace(TOKENS, (_, name: string) => {
    if (CLAUSES.includes(name)) return "";
    used.push(names.indexOf(name));
    return "?";
  });
  return { sql: text, parameters: (row) => used.map((column) => row[column]!) };
}

/** Converts a statement to one for all rows, with an array of values for each column. Placeholders are written `?`. */
export function forAllRows({ columns, sql }: RowStatement): string {
  const arrays = Object.values(columns).map((type) => `?::${type}[]`);
  const names = Object.keys(columns).map((name) => `given_${name}`);
  const rows = `unnest(${arrays.join(", ")}) WITH ORDINALITY AS given (${names.join(", ")}, given_place)`;
  return sql.replace(TOKENS, (_, name: string) => {
    if (name === "from") return `FROM ${rows}`;
    if (name === "using") return `USING ${rows}`;
    if (name === "join") return `, ${rows}`;
    return name === "order" ? "ORDER BY given_place" : `given_${name}`;
  });
}
