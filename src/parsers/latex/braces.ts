/** An argument in braces or brackets. */
export interface Group {
  readonly content: string;
  /** The offset after the closing brace or bracket. */
  readonly end: number;
}

/** Returns the offset after the brace that closes the group at `start`, or the end of the text if none does. */
export function groupEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Returns the group `{…}` at `start`, after optional whitespace, or `null` if there is none. */
export function groupAt(text: string, start: number): Group | null {
  const at = skipSpace(text, start);
  if (text[at] !== "{") return null;
  const end = groupEnd(text, at);
  return { content: text.slice(at + 1, end - 1), end };
}

/**
 * Returns the optional argument `[…]` at `start`, after optional whitespace, or `null` if there is none. Only short
 * arguments without brackets are found, so that no text is scanned twice.
 */
export function optionalArgumentAt(text: string, start: number): Group | null {
  OPTION_PATTERN.lastIndex = skipSpace(text, start);
  const match = OPTION_PATTERN.exec(text);
  return match === null ? null : { content: match[1]!, end: OPTION_PATTERN.lastIndex };
}

const OPTION_PATTERN = /\[([^[\]]{0,2000})\]/y;

function skipSpace(text: string, start: number): number {
  let at = start;
  while (/[ \t\n]/.test(text[at] ?? "")) at++;
  return at;
}

/**
 * Returns the number of arguments of each command. The first string has the names of the commands with one argument,
 * separated by spaces, the second those with two, and so on.
 */
export function argumentCounts(...namesByCount: readonly string[]): ReadonlyMap<string, number> {
  return new Map(namesByCount.flatMap((names, i) => names.split(" ").map((name) => [name, i + 1])));
}
