import type { OperationName } from "../facade.js";
import type { Operation } from "../operation.js";
import { RECORDS } from "../records/index.js";
import type { Tx } from "../tx.js";
import { INDEX_PROCEDURES } from "./search-index/procedures.js";
import { runNow, type SqliteTx } from "./sqlite-tx.js";
import type { Statements } from "./statements.js";

/**
 * The name of an operation on the records, such as `tasks.claim`, or of a procedure of the search index, such as
 * `index.keywordSearch`.
 */
export type ProcedureName = OperationName | `index.${keyof typeof INDEX_PROCEDURES}`;

/** Runs a procedure on one connection, within its current transaction. */
export function runProcedure(db: Statements, tx: SqliteTx, name: ProcedureName, argument: unknown): unknown {
  const [noun, verb] = name.split(".") as [keyof typeof RECORDS | "index", string];
  if (noun === "index") return INDEX_PROCEDURES[verb as keyof typeof INDEX_PROCEDURES](db, argument as never);
  const operations: Readonly<Record<string, (tx: Tx, argument: never) => Operation<unknown>>> = RECORDS[noun];
  return runNow(operations[verb]!(tx, argument as never));
}
