import { styleText } from "node:util";
import { type Stray, withholdStrays } from "./capture-process-output.js";

type Write = (text: string) => boolean;
type Style = Parameters<typeof styleText>[0];

/** What a command talks to: results go to `out`, progress and diagnostics to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether a line on `err` can be drawn again. */
  readonly live: boolean;
  /** Width of `err` in characters. */
  readonly columns: number;
  /** Styles a text for `out`; the same text where nobody sees styles. */
  style(style: Style, text: string): string;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Fires on the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** From here on only this terminal writes to the process's outputs; of what else would have, the listener is told. */
  withholdStrays(listener: (stray: Stray) => void): void;
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
  // A reader that has seen enough, such as `head`, is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  // A log that nobody reads any more stops nothing.
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
    withholdStrays,
  };
}
