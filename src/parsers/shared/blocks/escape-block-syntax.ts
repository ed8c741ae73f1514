/**
 * Matches what Markdown would take for the start of a heading, bulleted item, quotation, fence or table row in a line.
 * Numbered items are left, since Markdown shows them as they are written.
 */
const LINE_START_PATTERN = /^( {0,3})(?=#{1,6}(?:\s|$)|[-+*]\s|[>|]|`{3}|~{3})/gm;

/**
 * Matches the underline of a heading, a line of equals signs or hyphens below another line, and a break between two
 * sections, a line of three or more asterisks or underscores.
 */
const UNDERLINE_PATTERN = /(\n {0,3})(?=(?:(?:=+|-+)[^\S\n]*|(?:\*[^\S\n]*){3,}|(?:_[^\S\n]*){3,})(?:\n|$))/g;

/** Matches a break between two sections, which is the same in Markdown. */
const BREAK_PATTERN = /^\s*(?:\*[^\S\n]*|-[^\S\n]*){3,}$/;

/**
 * Returns a paragraph's Markdown with a backslash before whatever would begin another kind of block. A text that is
 * a paragraph in Markdown already has nothing of the kind.
 */
export function escapeBlockSyntax(text: string): string {
  // Most paragraphs have one line and begin with a letter: they need no copy.
  if (!/^\s*[^\p{L}\s]|\n/u.test(text) || BREAK_PATTERN.test(text)) return text;
  return text.replace(LINE_START_PATTERN, "$1\\").replace(UNDERLINE_PATTERN, "$1\\");
}
