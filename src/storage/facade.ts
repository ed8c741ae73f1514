import type { CallOptions } from "../types.js";
import type { Operation } from "./operation.js";
import { type Noun, OPERATIONS, type Verb } from "./operations.js";
import type { RecordOperations } from "./records/index.js";
import type { Tx } from "./tx.js";

/** The method that runs an operation in one transaction or snapshot. */
type Call<Run> = Run extends (tx: Tx) => Operation<infer Result>
  ? (argument?: undefined, options?: CallOptions) => Promise<Result>
  : Run extends (tx: Tx, argument: infer Argument) => Operation<infer Result>
    ? (argument: Argument, options?: CallOptions) => Promise<Result>
    : never;

/** The operations on the records, by noun: `storage.tasks.claim({ owner, now, leaseMs })`. */
export type Records = {
  readonly [Noun in keyof RecordOperations]: {
    readonly [Verb in keyof RecordOperations[Noun]]: Call<RecordOperations[Noun][Verb]>;
  };
};

/** The name of an operation, such as `tasks.claim`. */
export type OperationName = { [Of in Noun]: `${Of}.${Verb<Of>}` }[Noun];

/** Runs the operation with a name. */
export type OperationRunner = (
  mode: "read" | "write",
  name: OperationName,
  argument: unknown,
  options: CallOptions | undefined,
) => Promise<unknown>;

/** Creates a method for each operation on the records. The methods pass the operation's name to `run`. */
export function createRecords(run: OperationRunner): Records {
  const methodsOf = (noun: string, mode: "read" | "write", verbs: readonly string[]) =>
    verbs.map((verb) => [
      verb,
      (argument: unknown, options?: CallOptions) => run(mode, `${noun}.${verb}` as OperationName, argument, options),
    ]);
  const nouns = Object.entries(OPERATIONS).map(([noun, { read, write }]) => {
    return [noun, Object.fromEntries([...methodsOf(noun, "read", read), ...methodsOf(noun, "write", write)])];
  });
  return Object.fromEntries(nouns);
}
