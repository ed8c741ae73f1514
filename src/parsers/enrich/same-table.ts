type Rows = readonly (readonly string[])[];

/** A row of several lines may have been read as that many rows. */
const MAX_JOINED_ROWS = 4;

/**
 * Whether a repaired table only moves words to other columns and joins lines of one row: each of its rows has exactly
 * the words of one to four consecutive rows of the original, and the words of each cell keep their order. It has a row
 * below the header and two columns, and between half and twice the columns of the original.
 */
export function isSameTable(read: Rows, repaired: Rows): boolean {
  const [width, repairedWidth] = [widthOf(read), widthOf(repaired)];
  if (repaired.length < 2 || repairedWidth < 2 || repairedWidth > width * 2 || repairedWidth * 2 < width) return false;
  const lines = read.map((row) => row.flatMap(wordsOf)).filter((line) => line.length > 0);
  let next = 0;
  for (const row of repaired) {
    const cells = row.map(wordsOf).filter((cell) => cell.length > 0);
    const wanted = cells.flat().toSorted().join("\n");
    if (wanted === "") continue;
    const joined: string[] = [];
    const last = Math.min(lines.length, next + MAX_JOINED_ROWS);
    while (next < last && joined.length < cells.flat().length) joined.push(...lines[next++]!);
    if (joined.toSorted().join("\n") !== wanted || !cells.every((cell) => isWithin(cell, joined))) return false;
  }
  return next === lines.length;
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

/** Whether words occur in a line in their order, with anything between them. */
function isWithin(words: readonly string[], line: readonly string[]): boolean {
  let at = 0;
  for (const word of line) if (word === words[at]) at++;
  return at === words.length;
}
