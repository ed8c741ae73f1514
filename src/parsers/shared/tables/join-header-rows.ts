/** Joins header rows into one, column by column and without repetitions: `Year / 2025`. */
export function joinHeaderRows(rows: readonly (readonly string[])[], width: number): string[] {
  return Array.from({ length: width }, (_, column) => {
    const labels = new Set(rows.map((row) => row[column] ?? ""));
    return [...labels].filter((label) => label !== "").join(" / ");
  });
}
