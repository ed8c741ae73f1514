import { styleText } from "node:util";
import { interceptProcessOutput, type ProcessOutputEvent } from "./intercept-process-output.js";

type Write = (text: string) => boolean;
type Style = Parameters<typeof styleText>[0];

/** Output, environment and signals of a command: results go to `out`, progress and diagnostics to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether `err` is a terminal, which can redraw a line. */
  readonly isInteractive: boolean;
  /** The width of `err` in characters. */
  readonly columns: number;
  /** Styles a text for `out`; returns it unchanged if `out` doesn't support styles. */
  style(style: Style, text: string): string;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Reserves stdout and stderr for this terminal and reports the output of other code to the listener. */
  interceptProcessOutput(listener: (event: ProcessOutputEvent) => void): void;
}

/** Creates the terminal of this process and handles its signals: a second Ctrl-C ends the process at once. */
export function createProcessTerminal(): Terminal {
  const interrupted = new AbortController();
  const onInterrupt = () => {
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort();
  };
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onInterrupt);
  // A reader that closes the pipe early, such as `head`, is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  // A closed stderr must not stop the process.
  process.stderr.on("error", () => {});
  const [out, err] = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream)) as [Write, Write];
  const supportsStyles = process.stdout.isTTY === true && !process.env.NO_COLOR;
  return {
    out: (text) => void out(`${text}\n`),
    err: (text) => void err(text),
    isInteractive: process.stderr.isTTY === true && process.env.TERM !== "dumb",
    columns: process.stderr.columns ?? 80,
    style: (style, text) => (supportsStyles ? styleText(style, text) : text),
    env: process.env,
    signal: interrupted.signal,
    interceptProcessOutput,
  };
}
