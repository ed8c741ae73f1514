import type { CallOptions } from "../../types.js";

export type SqlValue = string | number | bigint | Uint8Array | null;

/** One statement, run once, or once for each of `rows`. */
export interface SqlStatement {
  readonly sql: string;
  readonly parameters?: readonly SqlValue[];
  /** Runs the statement for each list of parameters instead of once. */
  readonly rows?: readonly (readonly SqlValue[])[];
}

/** What a driver that keeps its data in the engine's database may do there. */
export interface SqlConnection {
  /** Rows of one read, in a snapshot that holds every acknowledged write. */
  read<Row>(statement: SqlStatement, options?: CallOptions): Promise<readonly Row[]>;
  /** Runs statements in one transaction: all or none. */
  write(statements: readonly SqlStatement[], options?: CallOptions): Promise<void>;
}
