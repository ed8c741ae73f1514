/** Page numbers in warnings: `Page 3` or `Pages 1, 2 and 8 more`, after the first ten. */
export function pageList(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 10).join(", ");
  return `${numbers.length === 1 ? "Page" : "Pages"} ${shown}${numbers.length > 10 ? ` and ${numbers.length - 10} more` : ""}`;
}
