import { RECORD_OPERATIONS } from "../records/index.js";
import type { Operation } from "../tx.js";
import { INDEX_PROCEDURES } from "./search-index/procedures.js";
import { runNow, type SqliteTx } from "./sqlite-tx.js";
import type { Statements } from "./statements.js";

type Procedures = typeof RECORD_OPERATIONS & typeof INDEX_PROCEDURES;

export type ProcedureName = keyof Procedures;
export type ProcedureArgument<Name extends ProcedureName> = Parameters<Procedures[Name]>[1];
export type ProcedureResult<Name extends ProcedureName> =
  ReturnType<Procedures[Name]> extends Operation<infer Result> ? Result : ReturnType<Procedures[Name]>;

/** Runs an operation on the records, or a procedure of the search index, on one connection. */
export function runProcedure(db: Statements, tx: SqliteTx, name: string, argument: unknown): unknown {
  if (Object.hasOwn(RECORD_OPERATIONS, name)) {
    return runNow(
      RECORD_OPERATIONS[name as keyof typeof RECORD_OPERATIONS](tx, argument as never) as Operation<unknown>,
    );
  }
  return INDEX_PROCEDURES[name as keyof typeof INDEX_PROCEDURES](db, argument as never);
}
