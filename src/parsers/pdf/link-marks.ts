import type { Box } from "./frame.js";
import type { Run } from "./runs.js";

// Within the text, a link is a private-use character before it, which stands for its address, and one after it. Such
// characters are removed from the page's own text.
const FIRST = 0xf0000;
const MAX_LINKS = 0xff00;
const CLOSE = "\u{ffffd}";
const MARKS = /[\u{f0000}-\u{ffffd}]/gu;

/** The link addresses of a document, and the marks for them in its text. */
export class LinkMarks {
  readonly #urls: string[] = [];
  readonly #indexes = new Map<string, number>();

  /** Marks the words of runs within a link's box. */
  mark(runs: readonly Run[], url: string, [left, top, right, bottom]: Box): void {
    const open = this.#openMark(url);
    if (open === null) return;
    for (const run of runs) {
      const middle = run.baseline - run.size * 0.3;
      if (middle < top || middle > bottom || run.right <= left || run.left >= right || hasMarks(run.text)) continue;
      const width = run.right - run.left;
      const at = (x: number): number => Math.round(((x - run.left) / width) * run.text.length);
      const from = wordEdge(run.text, Math.max(0, at(left)));
      const to = wordEdge(run.text, Math.min(run.text.length, at(right)));
      const words = run.text.slice(from, to).trim();
      if (!/[\p{L}\p{N}]/u.test(words) || /[[\]]/.test(words) || isAddress(words, url)) continue;
      const start = run.text.indexOf(words, from);
      run.text = `${run.text.slice(0, start)}${open}${words}${CLOSE}${run.text.slice(start + words.length)}`;
    }
  }

  /** The text with its links in Markdown. */
  toMarkdown(text: string): string {
    if (!hasMarks(text)) return text;
    let joined = text;
    for (let before = ""; before !== joined; ) {
      before = joined;
      joined = joined.replace(/([\u{f0000}-\u{ffeff}])([^\u{f0000}-\u{ffffd}]*)\u{ffffd}([ -]?)\1/gu, "$1$2$3");
    }
    return joined
      .replace(/([\u{f0000}-\u{ffeff}])([^\u{f0000}-\u{ffffd}]*)\u{ffffd}/gu, (_, open: string, words: string) => {
        const url = this.#urls[open.codePointAt(0)! - FIRST] ?? "";
        return `[${words}](${url.replace(/[()\s<>]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`;
      })
      .replace(MARKS, "");
  }

  #openMark(url: string): string | null {
    let index = this.#indexes.get(url);
    if (index === undefined) {
      index = this.#urls.length;
      if (index >= MAX_LINKS) return null;
      this.#urls.push(url);
      this.#indexes.set(url, index);
    }
    return String.fromCodePoint(FIRST + index);
  }
}

/** Removes link marks from a text. */
export function withoutMarks(text: string): string {
  return text.replace(MARKS, "");
}

function hasMarks(text: string): boolean {
  return /[\u{f0000}-\u{ffffd}]/u.test(text);
}

/** The nearest word boundary: positions of letters are estimates. */
function wordEdge(text: string, at: number): number {
  for (let off = 0; off <= 4; off++) {
    for (const place of [at - off, at + off]) {
      if (place <= 0) return 0;
      if (place >= text.length) return text.length;
      if (/\s/.test(text[place]!) || /\s/.test(text[place - 1]!)) return place;
    }
  }
  return at;
}

/** Whether a link's text is its address, which Markdown links automatically. */
function isAddress(words: string, url: string): boolean {
  const bare = (address: string): string => address.replace(/^(?:mailto:|https?:\/\/)/i, "").replace(/\/$/, "");
  return bare(url).toLowerCase().includes(bare(words).toLowerCase()) && /[./@]/.test(words);
}
