import type { CallOptions } from "../types.js";
import { OPERATIONS } from "./operations.js";
import type { Records } from "./storage.js";

/** An operation's name, as in `tasks.claim`. */
export type OperationName = {
  [Noun in keyof typeof OPERATIONS]: `${Noun}.${keyof (typeof OPERATIONS)[Noun] & string}`;
}[keyof typeof OPERATIONS];

/** Runs an operation by its name. */
export type RunOperation = (
  mode: "read" | "write",
  name: OperationName,
  argument: unknown,
  options: CallOptions | undefined,
) => Promise<unknown>;

/** The operations on the records as methods, which `run` executes by name. */
export function recordsOver(run: RunOperation): Records {
  const nouns = Object.entries(OPERATIONS).map(([noun, verbs]) => {
    const calls = Object.entries(verbs).map(([verb, mode]) => {
      return [
        verb,
        (argument: unknown, options?: CallOptions) => run(mode, `${noun}.${verb}` as OperationName, argument, options),
      ];
    });
    return [noun, Object.fromEntries(calls)];
  });
  return Object.fromEntries(nouns);
}
