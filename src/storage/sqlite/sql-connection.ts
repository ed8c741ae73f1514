import type { CallOptions } from "../../types.js";

export type SqlValue = string | number | bigint | Uint8Array | null;

/** A statement to run once, or once for each of `rows`. */
export interface SqlStatement {
  readonly sql: string;
  readonly parameters?: readonly SqlValue[];
  /** Parameters of each run. */
  readonly rows?: readonly (readonly SqlValue[])[];
}

/** Direct SQL access to the engine's database. */
export interface SqlConnection {
  /** The rows of a query, in a snapshot that includes every acknowledged write. */
  read<Row>(statement: SqlStatement, options?: CallOptions): Promise<readonly Row[]>;
  /** Runs statements in one transaction. */
  write(statements: readonly SqlStatement[], options?: CallOptions): Promise<void>;
}
