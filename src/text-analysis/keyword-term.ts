/** A search term: one word or several consecutive words. */
export interface KeywordTerm {
  /** Letters, marks, digits and single spaces only. */
  readonly text: string;
  /** Whether the last word is a prefix. */
  readonly prefix: boolean;
}
