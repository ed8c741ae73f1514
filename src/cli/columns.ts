/** Line breaks and terminal escape sequences, which names and errors from anywhere may contain. */
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * Formats rows as lines with aligned columns. Replaces control characters by spaces.
 * @param align How all columns but the first are aligned.
 */
export function columns(given: readonly (readonly string[])[], align: "left" | "right" = "left"): string {
  const rows = given.map((row) => row.map((cell) => cell.replace(CONTROL, " ")));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  const pad = (cell: string, index: number) =>
    index > 0 && align === "right" ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!);
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

/** Formats labelled values, one per line, without those that are `null`. */
export function fieldLines(fields: readonly (readonly [label: string, value: string | null])[]): string {
  return columns(fields.flatMap(([label, value]) => (value === null ? [] : [[label, value]])));
}

/** A count with its noun, such as `1 page` and `3 pages`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
