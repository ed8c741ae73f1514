// What of an error may stand in a log. Its message may quote whatever came in: a query, a text, an address with its password, a key. That
// holds for every class: ours name the value that they refuse, and those of drivers repeat what a database or a vendor has answered. So no
// message is logged. What is left is of the program and not of its input: the class, the code, the places in the source, and the same of
// the causes; with the request's id it leads to the call that failed.

export interface ErrorDescription {
  readonly name: string;
  readonly code?: string;
  /** Where it was made, innermost first. */
  readonly at: readonly string[];
  readonly cause?: ErrorDescription;
}

/** Short enough that no key of ours fits, should somebody make one a code. */
const WORD = /^\w{1,40}$/;
const PLACE = /^ {4}at (?:.* \()?((?:file:\/|node:|\/)[^\s()]+:\d+:\d+)\)?$/;
const MOST_PLACES = 6;
const MOST_CAUSES = 4;

export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const { name, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    name: WORD.test(name) ? name : "Error",
    ...(typeof code === "string" && WORD.test(code) && { code }),
    at: placesOf(error),
    ...(cause !== undefined && depth < MOST_CAUSES && { cause: describeError(cause, depth + 1) }),
  };
}

/** The codes of an error and its causes in a few words. */
export function summarizeError({ name, code, cause }: ErrorDescription): string {
  const own = code ?? name;
  return cause === undefined ? own : `${own}, by ${summarizeError(cause)}`;
}

function placesOf({ stack = "", message }: Error): readonly string[] {
  const head = message === "" ? "\n" : `: ${message}\n`;
  const start = stack.indexOf(head);
  // A message that was changed since may have lines of its own there, which look like places.
  if (start === -1 || !/^\w+(?: \[\w+\])?$/.test(stack.slice(0, start))) return [];
  return stack
    .slice(start + head.length)
    .split("\n")
    .flatMap((line) => PLACE.exec(line)?.[1]?.replace(/^.*\/(?=(?:node_modules|dist)\/)/, "") ?? [])
    .slice(0, MOST_PLACES);
}
