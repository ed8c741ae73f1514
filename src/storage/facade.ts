import type { CallOptions } from "../types.js";
import { type Noun, OPERATIONS, type Verb } from "./operations.js";
import type { Records } from "./storage.js";

/** An operation's name, as in `tasks.claim`. */
export type OperationName = { [Of in Noun]: `${Of}.${Verb<Of>}` }[Noun];

/** Runs an operation by its name. */
export type RunOperation = (
  mode: "read" | "write",
  name: OperationName,
  argument: unknown,
  options: CallOptions | undefined,
) => Promise<unknown>;

/** The operations on the records as methods, which `run` executes by name. */
export function recordsOver(run: RunOperation): Records {
  const callsOf = (noun: string, mode: "read" | "write", verbs: readonly string[]) =>
    verbs.map((verb) => [
      verb,
      (argument: unknown, options?: CallOptions) => run(mode, `${noun}.${verb}` as OperationName, argument, options),
    ]);
  const nouns = Object.entries(OPERATIONS).map(([noun, { read, write }]) => {
    return [noun, Object.fromEntries([...callsOf(noun, "read", read), ...callsOf(noun, "write", write)])];
  });
  return Object.fromEntries(nouns);
}
