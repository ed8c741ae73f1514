/** The syntax of a delimiter-separated file. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly escapeChar: string;
}

/**
 * The supported delimiters. If several split the rows about equally well, the first wins: a later one is more likely to
 * occur in values.
 */
const DELIMITERS = ["\t", ";", "|", ","];
const SAMPLE_CHARS = 128 * 1024;
const SAMPLE_ROWS = 200;

/** Detects the escape character, and the delimiter that splits most rows into the same number of cells. */
export function csvDialect(text: string): CsvDialect {
  const sample = text.slice(0, SAMPLE_CHARS);
  const escapeChar = /[^\\]\\"/.test(sample) && !/[^,;|\t]""[^,;|\t\n]/.test(sample) ? "\\" : '"';
  let best = { delimiter: ",", score: 0 };
  for (const delimiter of DELIMITERS) {
    const score = consistency(cellCounts(sample, delimiter));
    if (score > best.score + 0.05) best = { delimiter, score };
  }
  return { delimiter: best.delimiter, escapeChar };
}

/** Returns the share of rows that have the most frequent cell count above one. */
function consistency(counts: readonly number[]): number {
  const frequencies = new Map<number, number>();
  for (const count of counts) if (count > 1) frequencies.set(count, (frequencies.get(count) ?? 0) + 1);
  return counts.length === 0 ? 0 : Math.max(0, ...frequencies.values()) / counts.length;
}

/**
 * Returns the number of cells in each row of the sample. Delimiters and line breaks within quotes belong to the cell.
 */
function cellCounts(text: string, delimiter: string): number[] {
  const counts: number[] = [];
  let cellCount = 1;
  let isQuoted = false;
  let isCellStart = true;
  let isBlankLine = true;
  for (let i = 0; i < text.length && counts.length < SAMPLE_ROWS; i++) {
    const char = text[i]!;
    if (isQuoted) {
      if (char === '"') isQuoted = false;
      continue;
    }
    if (char === "\n") {
      if (!isBlankLine) counts.push(cellCount);
      cellCount = 1;
      isBlankLine = true;
    } else if (char === delimiter) cellCount++;
    else if (char === '"' && (isCellStart || text[i - 1] === '"')) isQuoted = true;
    if (char !== "\n") isBlankLine = false;
    isCellStart = char === "\n" || char === delimiter;
  }
  if (!isBlankLine && !isQuoted && counts.length < SAMPLE_ROWS) counts.push(cellCount);
  return counts;
}
