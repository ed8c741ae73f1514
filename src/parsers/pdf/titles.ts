import { getOrCreate } from "../../util/get-or-create.js";
import { LINE_HYPHEN } from "./line-hyphens.js";
import { compareNumbers, sectionNumber } from "./section-number.js";

/** A title in the outline or on a contents page. */
export interface ListedTitle {
  readonly title: string;
  /** From 1; `null` if unknown. */
  readonly depth: number | null;
  /** The page that the entry leads to; `null` if unknown. */
  readonly page: number | null;
}

/** The destination of an entry may be the end of the page before the title. */
const MAX_PAGE_DISTANCE = 1;

/** A title in the text has at most as many more characters than in the outline: its number, and spaces. */
const MAX_ADDED_LENGTH = 30;

/** Finds the entry of an outline or a contents page for a text. */
export class Titles {
  readonly #entries = new Map<string, { readonly entry: ListedTitle; readonly number: readonly number[] | null }[]>();

  /** Longer texts are no titles. */
  readonly #maxLength: number;

  constructor(entries: readonly ListedTitle[]) {
    this.#maxLength = entries.reduce((max, { title }) => Math.max(max, title.length + MAX_ADDED_LENGTH), 0);
    for (const entry of entries) {
      const { key, number } = titleKey(entry.title);
      if (key !== "") getOrCreate(this.#entries, key, () => []).push({ entry, number });
    }
  }

  /** Returns the entry whose title is the text and whose page is near, and nearest, to a page; `null` if there is none. */
  find(text: string, page: number): ListedTitle | null {
    if (text.length > this.#maxLength) return null;
    const { key, number } = titleKey(text);
    const distance = ({ page: target }: ListedTitle): number => (target === null ? 0.5 : Math.abs(target - page));
    let best: ListedTitle | null = null;
    for (const { entry, number: listed } of this.#entries.get(key) ?? []) {
      if (number !== null && listed !== null && compareNumbers(number, listed) !== 0) continue;
      if (isSentence(text) && !isSentence(entry.title)) continue;
      if (distance(entry) <= MAX_PAGE_DISTANCE && (best === null || distance(entry) < distance(best))) best = entry;
    }
    return best;
  }
}

function isSentence(text: string): boolean {
  return /[.,;:]$/.test(text.trim());
}

/** Returns a title's number, and its words without case and punctuation. */
export function titleKey(title: string): { readonly key: string; readonly number: readonly number[] | null } {
  const plain = title.replaceAll(LINE_HYPHEN, "").normalize("NFKC").trim();
  const number = sectionNumber(plain);
  const isNumbered = number?.format === "section";
  const key = (number?.title || plain)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return { key, number: isNumbered ? number.path : null };
}
