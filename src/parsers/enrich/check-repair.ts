type Rows = readonly (readonly string[])[];

/** A row of several lines may have been read as several rows, at most this many. */
const MAX_JOINED_ROWS = 4;

/**
 * Whether a repaired table only moves words to other columns and joins lines of one row: each of its rows has exactly
 * the words of one to four consecutive rows of the original, and the words of each cell keep their order. It has at
 * least a header, one row and two columns, and between half and twice the columns of the original.
 */
export function keepsContent(original: Rows, repaired: Rows): boolean {
  const [width, repairedWidth] = [widthOf(original), widthOf(repaired)];
  if (repaired.length < 2 || repairedWidth < 2 || repairedWidth > width * 2 || repairedWidth * 2 < width) return false;
  const lines = original.map((row) => row.flatMap(wordsOf)).filter((line) => line.length > 0);
  let nextLine = 0;
  for (const row of repaired) {
    const cells = row.map(wordsOf).filter((cell) => cell.length > 0);
    const expected = cells.flat().toSorted().join("\n");
    if (expected === "") continue;
    const joined: string[] = [];
    const end = Math.min(lines.length, nextLine + MAX_JOINED_ROWS);
    while (nextLine < end && joined.length < cells.flat().length) joined.push(...lines[nextLine++]!);
    if (joined.toSorted().join("\n") !== expected || !cells.every((cell) => isSubsequence(cell, joined))) return false;
  }
  return nextLine === lines.length;
}

function widthOf(rows: Rows): number {
  return Math.max(0, ...rows.map((row) => row.length));
}

function wordsOf(cell: string): string[] {
  return cell
    .replaceAll("\\|", "|")
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** Whether words occur in a line in the same order, possibly with other words between them. */
function isSubsequence(words: readonly string[], line: readonly string[]): boolean {
  let at = 0;
  for (const word of line) if (word === words[at]) at++;
  return at === words.length;
}
