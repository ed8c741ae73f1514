// An error's message may quote any input: a query, a text, a URL with its password, a key. That holds for every class:
// ours quote the value that they refuse, those of drivers repeat the answer of a database or vendor. So messages are
// not logged, only what comes from the program: class, code and stack, also of the causes. With the request's id they
// lead to the call that failed.

export interface ErrorDescription {
  readonly name: string;
  readonly code?: string;
  /** The stack's source positions, innermost first. */
  readonly at: readonly string[];
  readonly cause?: ErrorDescription;
}

/** Too short for one of our API keys, in case that someone uses one as a code. */
const IDENTIFIER = /^\w{1,40}$/;
const STACK_LINE = /^ {4}at (?:.* \()?((?:file:\/|node:|\/)[^\s()]+:\d+:\d+)\)?$/;
const MAX_POSITIONS = 6;
const MAX_CAUSES = 4;

export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const { name, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    name: IDENTIFIER.test(name) ? name : "Error",
    ...(typeof code === "string" && IDENTIFIER.test(code) && { code }),
    at: stackPositions(error),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: describeError(cause, depth + 1) }),
  };
}

/** The codes of an error and its causes in a few words. */
export function summarizeError({ name, code, cause }: ErrorDescription): string {
  const own = code ?? name;
  return cause === undefined ? own : `${own}, caused by ${summarizeError(cause)}`;
}

function stackPositions({ stack = "", message }: Error): readonly string[] {
  const head = message === "" ? "\n" : `: ${message}\n`;
  const start = stack.indexOf(head);
  // If the message was changed later, the stack still has the old one, whose lines may look like positions.
  if (start === -1 || !/^\w+(?: \[\w+\])?$/.test(stack.slice(0, start))) return [];
  return stack
    .slice(start + head.length)
    .split("\n")
    .flatMap((line) => STACK_LINE.exec(line)?.[1]?.replace(/^.*\/(?=(?:node_modules|dist)\/)/, "") ?? [])
    .slice(0, MAX_POSITIONS);
}
