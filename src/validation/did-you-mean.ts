/** Returns the known name closest to a mistyped name, or `undefined` if no known name is close. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const limit = Math.max(1, Math.floor(name.length / 3));
  return best !== undefined && best.distance <= limit ? best.candidate : undefined;
}

/** Returns a suggestion to append to an error message; `""` if no known name is close. */
export function didYouMean(name: string, known: readonly string[], prefix = ""): string {
  const suggestion = suggestName(name, known);
  return suggestion === undefined ? "" : `; did you mean ${prefix}${suggestion}?`;
}

/** Returns the Damerau-Levenshtein distance (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(substitution, rows[i - 1]![j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
