import { styleText } from "node:util";
import { type CapturedOutput, captureProcessOutput } from "./capture-process-output.js";

type Write = (text: string) => boolean;
type Style = Parameters<typeof styleText>[0];

/** Output, environment and signals of a command: results go to `out`, progress and diagnostics to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether `err` is a terminal, on which a line can be redrawn. */
  readonly live: boolean;
  /** Width of `err` in characters. */
  readonly columns: number;
  /** Styles a text for `out`; returns it unchanged if `out` doesn't support styles. */
  style(style: Style, text: string): string;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Fires on the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Reserves stdout and stderr for this terminal and reports everything else to the listener. */
  captureProcessOutput(listener: (captured: CapturedOutput) => void): void;
}

/** The terminal of this process. A second Ctrl-C ends it at once. */
export function processTerminal(): Terminal {
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
  const styled = process.stdout.isTTY === true && !process.env.NO_COLOR;
  return {
    out: (text) => void out(`${text}\n`),
    err: (text) => void err(text),
    live: process.stderr.isTTY === true && process.env.TERM !== "dumb",
    columns: process.stderr.columns ?? 80,
    style: (style, text) => (styled ? styleText(style, text) : text),
    env: process.env,
    signal: interrupted.signal,
    captureProcessOutput,
  };
}
