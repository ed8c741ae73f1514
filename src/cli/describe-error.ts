// An error's message may quote any input: a query, a text, a URL with a password, an API key. Lorebase's own errors
// quote rejected values, and errors of drivers repeat the response of a database or vendor. Messages are therefore
// never logged, only the class, code and stack of an error and its causes. Together with the request's id, they
// identify the call that failed.

export interface ErrorDescription {
  readonly name: string;
  readonly code?: string;
  /** The source positions in the stack trace, innermost first. */
  readonly at: readonly string[];
  readonly cause?: ErrorDescription;
}

/** Matches class names and codes. The length limit excludes API keys, in case one ends up in a code. */
const IDENTIFIER_PATTERN = /^\w{1,40}$/;
const STACK_LINE_PATTERN = /^ {4}at (?:.* \()?((?:file:\/|node:|\/)[^\s()]+:\d+:\d+)\)?$/;
const MAX_POSITIONS = 6;
const MAX_CAUSES = 4;

export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const { name, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    name: IDENTIFIER_PATTERN.test(name) ? name : "Error",
    ...(typeof code === "string" && IDENTIFIER_PATTERN.test(code) && { code }),
    at: parseStackPositions(error),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: describeError(cause, depth + 1) }),
  };
}

/** Lists the code, or else the name, of an error and of each of its causes. */
export function summarizeError({ name, code, cause }: ErrorDescription): string {
  const label = code ?? name;
  return cause === undefined ? label : `${label}, caused by ${summarizeError(cause)}`;
}

function parseStackPositions({ stack = "", message }: Error): readonly string[] {
  const head = message === "" ? "\n" : `: ${message}\n`;
  const start = stack.indexOf(head);
  // If the message was changed later, the stack still contains the old message, whose lines may look like positions.
  if (start === -1 || !/^\w+(?: \[\w+\])?$/.test(stack.slice(0, start))) return [];
  return stack
    .slice(start + head.length)
    .split("\n")
    .flatMap((line) => STACK_LINE_PATTERN.exec(line)?.[1]?.replace(/^.*\/(?=(?:node_modules|dist)\/)/, "") ?? [])
    .slice(0, MAX_POSITIONS);
}
