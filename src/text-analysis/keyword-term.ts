import { splitByScript } from "./keyword-text.js";

/** A search term: one word or several consecutive words. */
export interface KeywordTerm {
  /** Letters, marks, digits and single spaces only. */
  readonly text: string;
  /** Whether the last word is a prefix. */
  readonly prefix: boolean;
  /** Whether texts with both parts of a compound are left out, which takes a look-up for each part. @default false */
  readonly undivided?: boolean;
}

/** Whether a term is one token, in whatever form: phrases, prefixes and scripts without spaces are found by several. */
export function isStemmedWord({ text, prefix }: KeywordTerm): boolean {
  return !prefix && !text.includes(" ") && splitByScript(text).every(({ isBigramScript }) => !isBigramScript);
}
