/** Matches line breaks and control characters: names and errors may contain them, and terminals interpret them. */
const CONTROL_CHARACTER_PATTERN = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * Formats rows as lines with aligned columns. Replaces control characters with spaces.
 * @param align The alignment of all columns but the first.
 */
export function formatColumns(rows: readonly (readonly string[])[], align: "left" | "right" = "left"): string {
  const printableRows = rows.map((row) => row.map((cell) => cell.replace(CONTROL_CHARACTER_PATTERN, " ")));
  const widths: number[] = [];
  for (const row of printableRows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  const pad = (cell: string, index: number) =>
    index > 0 && align === "right" ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!);
  return printableRows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

/** Formats labelled values, one per line. Omits `null` values. */
export function formatFields(fields: readonly (readonly [label: string, value: string | null])[]): string {
  return formatColumns(fields.flatMap(([label, value]) => (value === null ? [] : [[label, value]])));
}

/** Formats a count with its noun, such as `1 page` or `3 pages`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
