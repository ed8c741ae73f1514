/** Returns the known name closest to a mistyped name, or `undefined` if no known name is close. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let closest: string | undefined;
  let limit = Math.max(1, Math.floor(name.length / 3));
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase(), limit);
    if (distance === undefined) continue;
    closest = candidate;
    if (distance === 0) break;
    // Of equally close names, the first is returned.
    limit = distance - 1;
  }
  return closest;
}

/** Returns a suggestion to append to an error message; `""` if no known name is close. */
export function didYouMean(name: string, known: readonly string[], prefix = ""): string {
  const suggestion = suggestName(name, known);
  return suggestion === undefined ? "" : `; did you mean ${prefix}${suggestion}?`;
}

/** Returns the Damerau-Levenshtein distance (optimal string alignment), or `undefined` if it is above a limit. */
function editDistance(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) > limit) return undefined;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(substitution, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    // A transposition skips one row, so no later distance is below the smallest of two rows.
    if (Math.min(...row) > limit && Math.min(...last) > limit) return undefined;
    [beforeLast, last] = [last, row];
  }
  const distance = last[b.length]!;
  return distance <= limit ? distance : undefined;
}
