/** Where the group that opens at `start` ends, just after its closing sign; the end of the text where it never does. */
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

/** The content of `{…}` and where it ends; null where none begins at `start`, spaces before it aside. */
export function groupAt(text: string, start: number): Group | null {
  const at = afterSpace(text, start);
  if (text[at] !== "{") return null;
  const end = groupEnd(text, at);
  return { content: text.slice(at + 1, end - 1), end };
}

/** The same of an optional argument, `[…]`: short, and without brackets within, so that no text is scanned twice. */
export function optionAt(text: string, start: number): Group | null {
  OPTION.lastIndex = afterSpace(text, start);
  const match = OPTION.exec(text);
  return match === null ? null : { content: match[1]!, end: OPTION.lastIndex };
}

const OPTION = /\[([^[\]]{0,2000})\]/y;

export interface Group {
  readonly content: string;
  readonly end: number;
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (/[ \t\n]/.test(text[at] ?? "")) at++;
  return at;
}

/** How many arguments commands have, from a list of those with one, those with two and so on. */
export function argumentCounts(...names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.flatMap((list, i) => list.split(" ").map((name) => [name, i + 1])));
}
