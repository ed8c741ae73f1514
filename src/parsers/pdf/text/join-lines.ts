import { LINE_HYPHEN } from "./line-hyphens.js";

/** Where no space belongs between two lines: the end of the first and the beginning of the second. */
const UNSPACED_PATTERNS: readonly (readonly [end: RegExp, start: RegExp])[] = [
  [/[\u3001-\u30ff\u3400-\u9fff\uff00-\uffef]$/, /^[\u3001-\u30ff\u3400-\u9fff\uff00-\uffef]/],
  // The hyphen of a name, such as COVID-19.
  [/[\p{L}\p{N}][-\u00ad\u2010]$/u, /^(?:\p{Lu}|\d)/u],
  // A path, a choice such as "and/or", and a URL.
  [/[\p{L}\p{N}:/]\/$/u, /^[\p{L}\p{N}_$~.]/u],
  [/(?:https?:\/\/|www\.)\S*[._=&?]$/, /^[\p{Ll}\d]/u],
];

const DIVIDED_PATTERNS: readonly (readonly [end: RegExp, start: RegExp])[] = [
  [/\p{Ll}[-\u00ad\u2010]$/u, /^\p{Ll}/u],
  [/\p{Lu}{2}[-\u00ad\u2010]$/u, /^\p{Lu}{2}/u],
];

/** Joins lines into one text. A hyphen that may divide a word at a line's end becomes {@link LINE_HYPHEN}. */
export function joinLines(lines: readonly string[]): string {
  let text = "";
  for (const line of lines) {
    if (text === "") text = line;
    else if (meet(text, line, DIVIDED_PATTERNS)) text = text.slice(0, -1) + LINE_HYPHEN + line;
    else text += meet(text, line, UNSPACED_PATTERNS) ? line : ` ${line}`;
  }
  return text;
}

/** The end of a text in which words are looked for, so that no text takes long. */
const END_LENGTH = 200;

function meet(text: string, line: string, patterns: typeof UNSPACED_PATTERNS): boolean {
  const last = text.slice(-END_LENGTH);
  return patterns.some(([end, start]) => start.test(line) && end.test(last));
}
