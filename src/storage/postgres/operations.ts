import type { OperationName } from "../facade.js";
import type { Operation } from "../operation.js";
import { RECORDS, type RecordOperations } from "../records/index.js";
import type { Tx } from "../tx.js";
import { claimTask } from "./claim-task.js";
import { writeCounters } from "./write-counters.js";

/** The operations on the records, with those of which PostgreSQL has its own form. */
const POSTGRES_RECORDS: RecordOperations = {
  ...RECORDS,
  tasks: { ...RECORDS.tasks, claim: claimTask },
  transfer: { ...RECORDS.transfer, writeCounters },
};

/** Creates the operation with a name. */
export function recordOperation(name: OperationName, argument: unknown): (tx: Tx) => Operation<unknown> {
  const [noun, verb] = name.split(".") as [keyof RecordOperations, string];
  const operations: Readonly<Record<string, (tx: Tx, argument: never) => Operation<unknown>>> = POSTGRES_RECORDS[noun];
  return (tx) => operations[verb]!(tx, argument as never);
}
