/** A model's text as it reads without its citation markers. */
export interface ReferenceAnswer {
  readonly text: string;
  /** The numbers of all markers, in their order. */
  readonly numbers: readonly number[];
}

const SPACE = String.raw`[^\S\n]`;
const NUMBER = String.raw`(?:(?:passages?|sources?|documents?)${SPACE}*)?\^?\d{1,3}`;
const SEPARATOR = `(?:${SPACE}*[,;&–-]${SPACE}*|${SPACE}+and${SPACE}+|${SPACE}+)`;
const LIST = String.raw`\[(?=[^[\]【】\n]{1,46}\])(${SPACE}*${NUMBER}(?:${SEPARATOR}${NUMBER})*${SPACE}*)\]`;
const WIDE = String.raw`【(?=[^[\]【】\n]{1,46}】)${SPACE}*(\d{1,3})(?:†[^\n【】]*)?${SPACE}*】`;
/** Spaces and a marker that isn't the text of a link. */
const MARKER = new RegExp(String.raw`([^\S\r\n]{0,48})(?:${LIST}|${WIDE})(?!\()`, "iy");
const ESCAPED = /\\[\s\S]/y;
const CODE = /`+|~+/y;
/** What may be before a fence on its line. */
const FENCE_PREFIX = /^(?:\s|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*$/;
/** What joins words if it's gone with the marker. */
const JOINED = /[\p{L}\p{N}`\uD800-\uDBFF]/u;

/**
 * Reads a whole text by the rules of markers: numbers of up to three digits in brackets of up to 46 characters, alone,
 * in lists or ranges. Not in code, not escaped, not the text of a link. With a marker go the spaces before it, unless
 * that would join two words; at the start of a line, one space after it instead.
 */
export function readMarkers(source: string): ReferenceAnswer {
  const numbers: number[] = [];
  let text = "";
  let spacesBefore = "";
  for (let at = 0; at < source.length; ) {
    const line = text.slice(text.lastIndexOf("\n") + 1);
    const verbatim = matchAt(ESCAPED, source, at)?.[0] || codeAt(source, at, line);
    const marker = verbatim === "" ? matchAt(MARKER, source, at) : null;
    if (marker) {
      const [matched, spaces = "", list, wide] = marker;
      numbers.push(...numbersOf(list ?? wide!));
      at += matched.length;
      const isLineStart = line.trim() === "";
      if (isLineStart) text += spaces;
      else spacesBefore = spaces || spacesBefore;
      if (isLineStart && /[^\S\r\n]/.test(source[at] ?? "")) at++;
      continue;
    }
    if (JOINED.test(source[at]!)) text += spacesBefore;
    spacesBefore = "";
    text += verbatim || source[at];
    at += verbatim.length || 1;
  }
  return { text, numbers };
}

/** The code that begins here, to its end, which may be missing; empty if none begins. */
function codeAt(source: string, at: number, line: string): string {
  const run = matchAt(CODE, source, at)?.[0] ?? "";
  const from = at + run.length;
  const isFence = run.length >= 3 && isFencePrefix(line);
  if (run === "" || (run.startsWith("~") && !isFence)) return run;
  const rest = source.slice(from);
  const paragraph = isFence ? rest.split("\n", 1)[0]! : rest.split(/(?<=\n)[^\S\n]*\n/, 1)[0]!;
  const closing = [...paragraph.matchAll(/`+/g)].find(([other]) => other === run);
  if (closing) return run + rest.slice(0, closing.index + run.length);
  if (!isFence) return run + paragraph;
  for (const { 0: other, index } of rest.matchAll(run.startsWith("~") ? /~{3,}/g : /`{3,}/g)) {
    const before = rest.slice(0, index);
    if (!before.includes("\n") || !other.startsWith(run)) continue;
    if (isFencePrefix(before.slice(before.lastIndexOf("\n") + 1))) return run + before + other;
  }
  return run + rest;
}

function isFencePrefix(line: string): boolean {
  return line.length < 48 && FENCE_PREFIX.test(line);
}

function numbersOf(contents: string): readonly number[] {
  const ranges = contents.matchAll(/(\d+)(?:[^\S\n]*[–-]\D*(\d+))?/g);
  return [...ranges].flatMap(([, first, last = first]) => {
    const [from, to] = [Number(first), Number(last)];
    const isShort = to >= from && to - from < 20;
    return isShort ? Array.from({ length: to - from + 1 }, (_, index) => from + index) : [from, to];
  });
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
