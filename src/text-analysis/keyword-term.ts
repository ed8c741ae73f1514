/** A search term: a word, or several consecutive ones. */
export interface KeywordTerm {
  /** Letters, marks, digits and single spaces only. */
  readonly text: string;
  /** Whether the last word is a prefix. */
  readonly prefix: boolean;
}
