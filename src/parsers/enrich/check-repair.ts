type Rows = readonly (readonly string[])[];

/** The maximum number of original rows that a repaired row may join. */
const MAX_JOINED_ROWS = 4;

/**
 * Returns whether a repaired table only moves words to other columns and joins rows that were split: each of its rows
 * has exactly the words of one to four consecutive rows of the original, and the words of each cell keep their order.
 * The table must have a header, a further row, two columns, and between half and twice as many columns as the original.
 */
export function preservesWords(original: Rows, repaired: Rows): boolean {
  const [width, repairedWidth] = [columnCountOf(original), columnCountOf(repaired)];
  if (repaired.length < 2 || repairedWidth < 2 || repairedWidth > width * 2 || repairedWidth * 2 < width) return false;
  const lines = original.map((row) => row.flatMap(wordsOf)).filter((line) => line.length > 0);
  let lineIndex = 0;
  for (const row of repaired) {
    const cells = row.map(wordsOf).filter((cell) => cell.length > 0);
    const expected = cells.flat().toSorted().join("\n");
    if (expected === "") continue;
    const joined: string[] = [];
    const end = Math.min(lines.length, lineIndex + MAX_JOINED_ROWS);
    while (lineIndex < end && joined.length < cells.flat().length) joined.push(...lines[lineIndex++]!);
    if (joined.toSorted().join("\n") !== expected || !cells.every((cell) => isSubsequence(cell, joined))) return false;
  }
  return lineIndex === lines.length;
}

function columnCountOf(rows: Rows): number {
  return Math.max(0, ...rows.map((row) => row.length));
}

function wordsOf(cell: string): string[] {
  return cell
    .replaceAll("\\|", "|")
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** Returns whether all words occur in a line in the same order, possibly with other words between them. */
function isSubsequence(words: readonly string[], line: readonly string[]): boolean {
  let foundCount = 0;
  for (const word of line) if (word === words[foundCount]) foundCount++;
  return foundCount === words.length;
}
