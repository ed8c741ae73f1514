/** Line breaks, and escape sequences that a terminal would obey: names and errors may come from anywhere. */
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;

/** Rows as lines with aligned columns; the last column is not padded. Control characters become blanks. */
export function columns(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => cell.replace(CONTROL, " ")));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  const line = (row: readonly string[]) => row.map((cell, index) => cell.padEnd(widths[index]!)).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

/** A count and its noun, as in `1 page` and `3 pages`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
