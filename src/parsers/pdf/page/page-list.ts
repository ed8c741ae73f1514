/** Formats page numbers for a warning: `Page 3`, `Pages 1, 2`; after ten numbers, `and 8 more`. */
export function pageList(numbers: readonly number[]): string {
  const more = numbers.length > 10 ? ` and ${numbers.length - 10} more` : "";
  return `${numbers.length === 1 ? "Page" : "Pages"} ${numbers.slice(0, 10).join(", ")}${more}`;
}

/** Returns a warning such as `Page 3 was skipped.` or `Pages 1, 2 were skipped.`; none if there are no pages. */
export function pageWarning(numbers: readonly number[], singular: string, plural: string): string[] {
  return numbers.length === 0 ? [] : [`${pageList(numbers)} ${numbers.length === 1 ? singular : plural}`];
}

/** Returns a warning about pages that were not recognised within the time limit; none if there are no pages. */
export function timeLimitWarning(numbers: readonly number[]): string[] {
  const problem = "not recognised: the time limit was reached.";
  return pageWarning(numbers, `was ${problem}`, `were ${problem}`);
}
