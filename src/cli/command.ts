import type { FlagName, FlagValues } from "./flags.js";
import type { Terminal } from "./terminal.js";

/** What a command is given. */
export interface Invocation {
  readonly operands: readonly string[];
  readonly flags: FlagValues;
  readonly terminal: Terminal;
}

/** What a command has found out: one JSON value, and the same for people. */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
  /** 1 where the work was done but something in it failed. @default 0 */
  readonly exitCode?: 0 | 1;
}

/** One command of `lorebase`. */
export interface Command {
  /** One word, or two where several commands share the first, as in `keys create`. */
  readonly name: string;
  readonly summary: string;
  /** Operands as the help shows them. */
  readonly usage: string;
  readonly operands: { readonly min: number; readonly max: number };
  /** Options besides `--json` and `--help`. */
  readonly flags: readonly FlagName[];
  /** Returns what to print, or only the exit code where it has written for itself. */
  run(invocation: Invocation): Promise<Outcome | 0 | 1>;
}
