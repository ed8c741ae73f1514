import type { Box } from "./frame.js";
import type { Run } from "./runs.js";

// Private-use characters mark a link in the text: one before the link, which stands for its URL, and one after it.
// Other occurrences of such characters are removed from the page's text.
const FIRST_MARK = 0xf0000;
const MAX_LINKS = 0xff00;
const CLOSING_MARK = "\u{ffffd}";
const MARK_PATTERN = /[\u{f0000}-\u{ffffd}]/gu;

/** Marks the links of a document in its text and replaces the marks with Markdown. */
export class LinkMarks {
  readonly #urls: string[] = [];
  readonly #indexes = new Map<string, number>();

  /** Marks the words of runs within a link's box. */
  mark(runs: readonly Run[], url: string, box: Box): void {
    const open = this.#openMark(url);
    if (open === null) return;
    for (const { run, words, start } of wordsInside(runs, box)) {
      if (hasMarks(run.text) || /[[\]]/.test(words) || isUrlText(words, url)) continue;
      run.text = `${run.text.slice(0, start)}${open}${words}${CLOSING_MARK}${run.text.slice(start + words.length)}`;
    }
  }

  /** Returns the text with its links in Markdown. */
  toMarkdown(text: string): string {
    if (!hasMarks(text)) return text;
    let joined = text;
    for (let before = ""; before !== joined; ) {
      before = joined;
      joined = joined.replace(/([\u{f0000}-\u{ffeff}])([^\u{f0000}-\u{ffffd}]*)\u{ffffd}([ -]?)\1/gu, "$1$2$3");
    }
    return joined
      .replace(/([\u{f0000}-\u{ffeff}])([^\u{f0000}-\u{ffffd}]*)\u{ffffd}/gu, (_, open: string, words: string) => {
        const url = this.#urls[open.codePointAt(0)! - FIRST_MARK] ?? "";
        return `[${words}](${url.replace(/[()\s<>]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`;
      })
      .replace(MARK_PATTERN, "");
  }

  #openMark(url: string): string | null {
    let index = this.#indexes.get(url);
    if (index === undefined) {
      index = this.#urls.length;
      if (index >= MAX_LINKS) return null;
      this.#urls.push(url);
      this.#indexes.set(url, index);
    }
    return String.fromCodePoint(FIRST_MARK + index);
  }
}

/** A link over more lines is on a part of the page rather than on words. */
const MAX_LINKED_LINES = 4;
/** The text of a link has at most as many characters. */
const MAX_LINKED_CHARACTERS = 500;
/** Dots between a title on a contents page and its page number. */
const LEADER_PATTERN = /(?:\s?[.…·_]){3,}\s*$/;

/**
 * Returns the words of runs inside a box, as the text of a link, without the dots after a title on a contents page.
 * Empty for a box over many lines or characters.
 */
export function linkedWords(runs: readonly Run[], box: Box): string {
  const inside = wordsInside(runs, box);
  const lines = new Set(inside.map(({ run }) => Math.round(run.baseline)));
  const characters = inside.reduce((sum, { words }) => sum + words.length, 0);
  if (lines.size > MAX_LINKED_LINES || characters > MAX_LINKED_CHARACTERS) return "";
  return inside
    .map(({ words }) => removeMarks(words).replace(/^[^\p{L}\p{N}\s]\s+/u, ""))
    .join(" ")
    .replace(LEADER_PATTERN, "");
}

/** Returns the words within a box, and where they start in the text of their run. */
function wordsInside(
  runs: readonly Run[],
  [left, top, right, bottom]: Box,
): { readonly run: Run; readonly words: string; readonly start: number }[] {
  const inside: { readonly run: Run; readonly words: string; readonly start: number }[] = [];
  for (const run of runs) {
    const middle = run.baseline - run.size * 0.3;
    if (middle < top || middle > bottom || run.right <= left || run.left >= right) continue;
    const width = run.right - run.left;
    const at = (x: number): number => Math.round(((x - run.left) / width) * run.text.length);
    const from = wordEdge(run.text, Math.max(0, at(left)));
    const to = wordEdge(run.text, Math.min(run.text.length, at(right)));
    const words = run.text.slice(from, to).trim();
    if (/[\p{L}\p{N}]/u.test(words)) inside.push({ run, words, start: run.text.indexOf(words, from) });
  }
  return inside;
}

/** Removes link marks from a text. */
export function removeMarks(text: string): string {
  return text.replace(MARK_PATTERN, "");
}

function hasMarks(text: string): boolean {
  return /[\u{f0000}-\u{ffffd}]/u.test(text);
}

/** Returns the nearest word boundary, since letter positions are estimates; the index itself if none is near. */
function wordEdge(text: string, at: number): number {
  for (let distance = 0; distance <= 4; distance++) {
    for (const index of [at - distance, at + distance]) {
      if (index <= 0) return 0;
      if (index >= text.length) return text.length;
      if (/\s/.test(text[index]!) || /\s/.test(text[index - 1]!)) return index;
    }
  }
  return at;
}

/** Whether a link's text is its URL, which Markdown links automatically. */
function isUrlText(words: string, url: string): boolean {
  const bare = (text: string): string => text.replace(/^(?:mailto:|https?:\/\/)/i, "").replace(/\/$/, "");
  return bare(url).toLowerCase().includes(bare(words).toLowerCase()) && /[./@]/.test(words);
}
