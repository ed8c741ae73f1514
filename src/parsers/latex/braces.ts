export interface Group {
  readonly content: string;
  /** The offset after its closing brace or bracket. */
  readonly end: number;
}

/** The offset after the brace that closes the group at `start`; the end of the text if it is never closed. */
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

/** The group `{…}` that begins at `start`, after optional spaces; `null` if there is none. */
export function groupAt(text: string, start: number): Group | null {
  const at = skipSpace(text, start);
  if (text[at] !== "{") return null;
  const end = groupEnd(text, at);
  return { content: text.slice(at + 1, end - 1), end };
}

/** Likewise for an optional argument `[…]`, short and without brackets, so that no text is scanned twice. */
export function optionAt(text: string, start: number): Group | null {
  OPTION.lastIndex = skipSpace(text, start);
  const match = OPTION.exec(text);
  return match === null ? null : { content: match[1]!, end: OPTION.lastIndex };
}

const OPTION = /\[([^[\]]{0,2000})\]/y;

function skipSpace(text: string, start: number): number {
  let at = start;
  while (/[ \t\n]/.test(text[at] ?? "")) at++;
  return at;
}

/** The number of arguments of each command, from the names of those with one, those with two and so on. */
export function argumentCounts(...names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.flatMap((list, i) => list.split(" ").map((name) => [name, i + 1])));
}
