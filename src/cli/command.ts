import type { FlagName, FlagValues } from "./flags.js";
import type { Terminal } from "./terminal.js";

/** The parsed command line and the terminal of one command. */
export interface Invocation {
  readonly operands: readonly string[];
  readonly flags: FlagValues;
  readonly terminal: Terminal;
}

/** The result of a command, both as a JSON value and as text. */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
  /** 1 if the command ran but some of its work failed. @default 0 */
  readonly exitCode?: 0 | 1;
}

/** One command of `lorebase`. */
export interface Command {
  /** One word, or two if several commands share the first, such as `keys create`. */
  readonly name: string;
  readonly summary: string;
  /** Further paragraphs of the command's help. @default none */
  readonly details?: string;
  /** The operands as shown in the help. @default none */
  readonly usage?: string;
  /** The allowed number of operands. @default none */
  readonly operands?: { readonly min: number; readonly max: number };
  /** The options besides `--json` and `--help`. */
  readonly flags: readonly FlagName[];
  /** Returns what to print, or only the exit code if the command has printed everything itself. */
  run(invocation: Invocation): Promise<Outcome | 0 | 1>;
}
