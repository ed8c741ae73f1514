// An error's message may quote any input: a query, a text, a URL with its password, a key. That holds for every class:
// ours quote the value that they refuse, those of drivers repeat the response of a database or vendor. So messages are
// not logged, only what comes from the program: the class, code and stack of the error and its causes. With the
// request's id, they lead to the call that failed.

export interface ErrorDescription {
  readonly name: string;
  readonly code?: string;
  /** The source positions of the stack, innermost first. */
  readonly at: readonly string[];
  readonly cause?: ErrorDescription;
}

/** Too short to match one of our API keys, in case a key is used as a code. */
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

/** Lists the codes of an error and its causes; an error without a code is listed by its name. */
export function summarizeError({ name, code, cause }: ErrorDescription): string {
  const label = code ?? name;
  return cause === undefined ? label : `${label}, caused by ${summarizeError(cause)}`;
}

function stackPositions({ stack = "", message }: Error): readonly string[] {
  const head = message === "" ? "\n" : `: ${message}\n`;
  const start = stack.indexOf(head);
  // If the message was changed later, the stack still has the old one, whose lines may look like source positions.
  if (start === -1 || !/^\w+(?: \[\w+\])?$/.test(stack.slice(0, start))) return [];
  return stack
    .slice(start + head.length)
    .split("\n")
    .flatMap((line) => STACK_LINE.exec(line)?.[1]?.replace(/^.*\/(?=(?:node_modules|dist)\/)/, "") ?? [])
    .slice(0, MAX_POSITIONS);
}
