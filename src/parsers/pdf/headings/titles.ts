import { getOrCreate } from "../../../util/get-or-create.js";
import { LINE_HYPHEN } from "../text/line-hyphens.js";
import { sectionNumber } from "./section-number.js";

/** A title in the outline or on a contents page. */
export interface ListedTitle {
  readonly title: string;
  /** From 1; `null` if unknown. */
  readonly depth: number | null;
  /** The page that the entry leads to; `null` if unknown. */
  readonly page: number | null;
}

/** A title in the text has at most as many more characters than in the outline: its number, and spaces. */
const MAX_ADDED_LENGTH = 30;

/** Finds the entry of an outline or a contents page for a text. */
export class Titles {
  /** The first entry for each key, page and number, so that entries with the same title take no time to search. */
  readonly #entries = new Map<string, ListedTitle>();

  /** Longer texts are no titles. */
  readonly #maxLength: number;

  constructor(entries: readonly ListedTitle[]) {
    this.#maxLength = entries.reduce((max, { title }) => Math.max(max, title.length + MAX_ADDED_LENGTH), 0);
    for (const entry of entries) {
      const { key, number } = titleKey(entry.title);
      if (key === "") continue;
      for (const endings of isSentence(entry.title) ? [true, false] : [false])
        for (const shown of ["any", number?.join(".") ?? "none"])
          getOrCreate(this.#entries, entryKey(key, entry.page, shown, endings), () => entry);
    }
  }

  /** Returns the entry whose title is the text and whose page is near, and nearest, to a page; `null` if there is none. */
  find(text: string, page: number): ListedTitle | null {
    if (text.length > this.#maxLength) return null;
    const { key, number } = titleKey(text);
    // The destination of an entry may be the end of the page before the title.
    for (const target of [page, null, page - 1, page + 1])
      for (const shown of number === null ? ["any"] : [number.join("."), "none"]) {
        const entry = this.#entries.get(entryKey(key, target, shown, isSentence(text)));
        if (entry !== undefined) return entry;
      }
    return null;
  }
}

/**
 * @param number The number of the title; `none`, or `any` for all titles.
 * @param isSentence Whether only titles that end like a sentence count.
 */
function entryKey(key: string, page: number | null, number: string, isSentence: boolean): string {
  return `${key}|${page}|${number}|${isSentence}`;
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
