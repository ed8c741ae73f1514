import type { CallOptions } from "../types.js";
import { type Noun, OPERATIONS, type Verb } from "./operations.js";
import type { Records } from "./storage.js";

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
