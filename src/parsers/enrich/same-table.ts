type Rows = readonly (readonly string[])[];

/** A row of four lines may have been read as four. */
const MAX_JOINED = 4;

/**
 * Whether a table is another one with words in other columns, and lines of one row joined, and no more than that: each
 * of its rows has the very words of one to four rows of the other, one after the other until all are taken, and the
 * words of each cell stand in the order that they have there. It has a row below the header and two columns, and not
 * twice as many, or less than half, of the other's.
 */
export function isSameTable(read: Rows, repaired: Rows): boolean {
  const [across, repairedAcross] = [widthOf(read), widthOf(repaired)];
  if (repaired.length < 2 || repairedAcross < 2 || repairedAcross > across * 2 || repairedAcross * 2 < across)
    return false;
  const lines = read.map((row) => row.flatMap(wordsOf)).filter((line) => line.length > 0);
  let next = 0;
  for (const row of repaired) {
    const cells = row.map(wordsOf).filter((cell) => cell.length > 0);
    const wanted = cells.flat().toSorted().join("\n");
    if (wanted === "") continue;
    const joined: string[] = [];
    const last = Math.min(lines.length, next + MAX_JOINED);
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

/** Whether words stand in a line in their order, whatever is between them. */
function isWithin(words: readonly string[], line: readonly string[]): boolean {
  let at = 0;
  for (const word of line) if (word === words[at]) at++;
  return at === words.length;
}
