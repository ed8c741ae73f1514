import type { PoolClient } from "pg";
import { KnowledgeBaseError } from "../../errors.js";
import { TOKENS } from "./statement-text.js";

/** The columns of a query in their order: each has bytes, or integers of the type `bigint`. NULL is not allowed. */
export type BinaryColumns = Readonly<Record<string, "bytes" | "bigint">>;

export type BinaryRow<Columns extends BinaryColumns> = {
  readonly [Column in keyof Columns]: Columns[Column] extends "bytes" ? Uint8Array : number;
};

/** A parameter of a query whose rows are copied. */
export type CopyParameter = number | readonly number[];

/** The signature, the flags, and the length of an extension, which is 0. */
const HEADER_BYTES = 19;
/** The number of columns of the message that ends the rows. */
const END = -1;

/**
 * Runs a query, and reads its rows from the binary form of COPY. The package pg reads the results of queries as text,
 * in which bytes have twice the length and take ten times as long to read. Only one such query at a time may run on a
 * connection.
 *
 * @see https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.4 for the form
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY: each message of the server has one row
 */
export async function copyRows<Columns extends BinaryColumns>(
  client: PoolClient,
  columns: Columns,
  sql: string,
  parameters: readonly CopyParameter[],
): Promise<readonly BinaryRow<Columns>[]> {
  const rows: BinaryRow<Columns>[] = [];
  const types = Object.entries(columns);
  let from = HEADER_BYTES;
  let failure: unknown = null;
  const onData = ({ chunk }: { readonly chunk: Buffer }) => {
    try {
      const row = readRow(chunk.subarray(from), types);
      if (row) rows.push(row as BinaryRow<Columns>);
    } catch (error) {
      // Thrown here, it would end the thread.
      failure ??= error;
    }
    // The header precedes the first row in its message.
    from = 0;
  };
  const { connection } = client as unknown as CopyingClient;
  connection.on("copyData", onData);
  try {
    await client.query(`COPY (${withNumbers(sql, parameters)}) TO STDOUT (FORMAT binary)`);
  } finally {
    connection.off("copyData", onData);
  }
  if (failure !== null) throw failure;
  return rows;
}

/** The connection of a client, which the types of the package pg don't show. */
interface CopyingClient {
  readonly connection: {
    on(event: "copyData", listener: (message: { readonly chunk: Buffer }) => void): void;
    off(event: "copyData", listener: (message: { readonly chunk: Buffer }) => void): void;
  };
}

/** Reads one row; `null` at the end. Bytes are at the start of their own buffer. */
function readRow(message: Buffer, columns: readonly (readonly [name: string, type: string])[]): object | null {
  if (message.readInt16BE(0) === END) return null;
  let at = 2;
  return Object.fromEntries(
    columns.map(([name, type]) => {
      const from = at + 4;
      const length = message.readInt32BE(at);
      if (length < 0) throw new KnowledgeBaseError("internal", `The column ${name} of a copied row is NULL.`);
      at = from + length;
      return [
        name,
        type === "bytes" ? new Uint8Array(message.subarray(from, at)) : Number(message.readBigInt64BE(from)),
      ];
    }),
  );
}

/** Replaces the placeholders `?` by numbers, since COPY has no parameters. */
function withNumbers(sql: string, parameters: readonly CopyParameter[]): string {
  let place = 0;
  const toText = (parameter: CopyParameter) =>
    typeof parameter === "number" ? String(parameter) : `'{${parameter.map(Number).join()}}'`;
  return sql.replace(TOKENS, (token) => (token === "?" ? toText(parameters[place++]!) : token));
}
