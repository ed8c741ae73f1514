import type { PageText } from "../page/page-model.js";
import { cellTexts } from "../page/table-cells.js";

/**
 * Stands for a hyphen between two lines, of which it isn't known yet whether it belongs to the word. The character is
 * none of Unicode's, and doesn't occur in the text of a page (`runs.ts`).
 */
export const LINE_HYPHEN = "\ufdd0";

/**
 * Looks for the hyphen first and from there back to the word before it: a search for the word would read a text without
 * spaces, such as Chinese, again from each of its letters.
 */
const DIVIDED_WORD_PATTERN = new RegExp(
  `${LINE_HYPHEN}(?<=([\\p{L}-]*\\p{L})${LINE_HYPHEN})(\\p{L}+(?:-\\p{L}+)*)`,
  "gu",
);
/** Words that follow a hyphen that stands for a word's second part, as in "short- and long-term". */
const CONJUNCTION_PATTERN = /^(?:and|or|und|oder|bzw)$/;
/** Shorter words are often parts of others. */
const MIN_PART_LENGTH = 4;
/**
 * English words that are second parts of compounds with a hyphen, and hardly ever the end of a divided word. A short
 * document rarely has the compound a second time.
 */
const COMPOUND_END_PATTERN =
  /^(?:aware|based|born|borne|bound|built|centric|compatible|defined|dependent|driven|effective|efficient|free|friendly|generated|independent|intensive|level|minded|oriented|readable|related|rich|scale|sensitive|sized|specific|specified|term|trained|tuned|type)$/;
/** First parts that are prefixes, as in "interrelated". */
const PREFIX_PATTERN = /^(?:anti|counter|hyper|inter|micro|multi|over|super|trans|under)$/;

/** Decides by a document's own words which hyphens at line ends belong to a word. */
export class LineHyphens {
  readonly #pages: readonly PageText[];
  /** `null` until the first hyphen: many documents have none. */
  #counts: Map<string, number> | null = null;

  constructor(pages: readonly PageText[]) {
    this.#pages = pages;
  }

  /** Returns a text in which the hyphens of compounds are kept, and those that only divide a word are removed. */
  resolve(text: string): string {
    const shown = text.replaceAll("\u00ad", "-");
    if (!shown.includes(LINE_HYPHEN)) return shown;
    return shown
      .replace(DIVIDED_WORD_PATTERN, (_, left: string, right: string) => this.#between(left, right) + right)
      .replaceAll(LINE_HYPHEN, "");
  }

  #between(left: string, right: string): string {
    const [first, second] = [left.toLowerCase(), right.toLowerCase()];
    if (CONJUNCTION_PATTERN.test(second)) return "- ";
    const [joined, hyphenated] = [this.#countOf(first + second), this.#countOf(`${first}-${second}`)];
    if (joined !== hyphenated) return joined > hyphenated ? "" : "-";
    // A compound is hardly ever divided once more within one of its words.
    if (first.includes("-")) return "-";
    if (first.length < MIN_PART_LENGTH || PREFIX_PATTERN.test(first)) return "";
    const areWords = this.#isWord(first) && this.#isWord(second.split("-")[0]!);
    return areWords || COMPOUND_END_PATTERN.test(second) ? "-" : "";
  }

  #isWord(part: string): boolean {
    return part.length >= MIN_PART_LENGTH && this.#countOf(part) > 0;
  }

  #countOf(word: string): number {
    this.#counts ??= wordCounts(this.#pages);
    return this.#counts.get(word) ?? 0;
  }
}

/** Counts the words of all pages, except for parts of a word that is divided at the beginning or end of a segment. */
function wordCounts(pages: readonly PageText[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { main } of pages) {
    for (const { text, table } of main.segments) {
      const whole = (table === undefined ? text : cellTexts(table.rows).join("\n"))
        .replace(/^\p{Ll}+/u, "")
        .replace(/(?<!\p{L})\p{L}+[-\u00ad\u2010]$/u, "");
      for (const word of whole.match(/\p{L}+(?:[-\u2010]\p{L}+)*/gu) ?? []) {
        const key = word.toLowerCase().replaceAll("\u2010", "-");
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
  }
  return counts;
}
