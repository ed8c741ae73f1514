import type { Operation } from "../operation.js";
import type { SqlValue } from "../sql-value.js";
import type { Tx } from "../tx.js";
import { type DigestState, RowDigest } from "./row-digest.js";
import { COUNTED_TABLES, TRANSFER_TABLES, type TransferTable } from "./tables.js";

/** A batch ends at this number of rows, or before the row with which its large columns exceed this size. */
const MAX_ROWS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

/** The values of one row, in the order of its table's columns. */
export type TransferRow = readonly SqlValue[];

/** Selects the rows of a table after a key, in the order of the keys in this engine. */
export interface BatchStart {
  readonly table: string;
  /** The key of the last row before the batch; `null` to begin with the first row. */
  readonly after: readonly SqlValue[] | null;
}

export interface RowBatch {
  readonly rows: readonly TransferRow[];
  /** The key of the last row; `null` if there are no rows left. */
  readonly last: readonly SqlValue[] | null;
}

/** Reads the next rows of a table, with its replaced columns. */
export function* readRows(tx: Tx, start: BatchStart): Operation<RowBatch> {
  const table = tableOf(start.table);
  const last = yield* findEnd(tx, table, start.after);
  if (!last) return { rows: [], last };
  return { rows: yield* readRange(tx, table, copiedColumns(table), { after: start.after, last }), last };
}

/** Computes the digest of the next rows of a table, without its replaced columns. */
export function* digestRows(
  tx: Tx,
  start: BatchStart,
): Operation<DigestState & { readonly last: readonly SqlValue[] | null }> {
  const table = tableOf(start.table);
  const digest = new RowDigest();
  const last = yield* findEnd(tx, table, start.after);
  if (last)
    for (const row of yield* readRange(tx, table, table.columns, { after: start.after, last })) digest.addRow(row);
  return { ...digest.state, last };
}

/** The columns to copy, in the order of the values of a {@link TransferRow}. */
export function copiedColumns({ columns, replaced = [] }: TransferTable): readonly string[] {
  return [...columns, ...replaced];
}

export function tableOf(name: string): TransferTable {
  return [...TRANSFER_TABLES, ...COUNTED_TABLES].find((table) => table.name === name)!;
}

/** Finds the key of the last row of a batch, by the sizes of the rows alone; `null` if there are no rows. */
function* findEnd(
  tx: Tx,
  { name, key, large = [] }: TransferTable,
  after: readonly SqlValue[] | null,
): Operation<readonly SqlValue[] | null> {
  const sizes = large.map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ") || "0";
  const rows = yield* tx.all<Record<string, SqlValue>>(
    `SELECT ${key.join(", ")}, ${sizes} AS bytes FROM ${name}${after ? ` WHERE ${compare(key, ">")}` : ""}
     ORDER BY ${key.join(", ")} LIMIT ${MAX_ROWS}`,
    ...(after ?? []),
  );
  let bytes = 0;
  let last = rows[0];
  for (const row of rows) {
    bytes += row.bytes as number;
    if (bytes > MAX_BYTES) break;
    last = row;
  }
  return last ? key.map((column) => last![column]!) : null;
}

function* readRange(
  tx: Tx,
  { name, key }: TransferTable,
  columns: readonly string[],
  { after, last }: { readonly after: readonly SqlValue[] | null; readonly last: readonly SqlValue[] },
): Operation<readonly TransferRow[]> {
  const rows = yield* tx.all<Record<string, SqlValue>>(
    `SELECT ${columns.join(", ")} FROM ${name} WHERE ${after ? `${compare(key, ">")} AND ` : ""}${compare(key, "<=")}
     ORDER BY ${key.join(", ")}`,
    ...[...(after ?? []), ...last],
  );
  return rows.map((row) => columns.map((column) => row[column]!));
}

function compare(key: readonly string[], operator: ">" | "<="): string {
  return key.length === 1
    ? `${key[0]} ${operator} ?`
    : `(${key.join(", ")}) ${operator} (${key.map(() => "?").join(", ")})`;
}
