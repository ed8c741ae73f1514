/** Something that a passage can contain: a word, or several that stand side by side. */
export interface KeywordTerm {
  /** Letters, marks, digits and single spaces only. */
  readonly text: string;
  /** Whether the last word may go on. */
  readonly prefix: boolean;
}
