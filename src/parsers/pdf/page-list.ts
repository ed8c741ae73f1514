/** Page numbers for a warning: `Page 3`, `Pages 1, 2`; after ten, `and 8 more`. */
export function pageList(numbers: readonly number[]): string {
  const more = numbers.length > 10 ? ` and ${numbers.length - 10} more` : "";
  return `${numbers.length === 1 ? "Page" : "Pages"} ${numbers.slice(0, 10).join(", ")}${more}`;
}

/** A warning about some pages, as in `Page 3 was skipped.` or `Pages 1, 2 were skipped.`; none without pages. */
export function pageWarning(numbers: readonly number[], one: string, several: string): string[] {
  return numbers.length === 0 ? [] : [`${pageList(numbers)} ${numbers.length === 1 ? one : several}`];
}

/** A warning about pages that were not recognised within the time limit. */
export function timeLimitWarning(numbers: readonly number[]): string[] {
  const problem = "not recognised: the time limit was reached.";
  return pageWarning(numbers, `was ${problem}`, `were ${problem}`);
}
