/** The syntax of a file with delimiter-separated values. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly escapeChar: string;
}

/** In order of precedence: if several split the rows equally well, later ones are more likely part of the values. */
const DELIMITERS = ["\t", ";", "|", ","];
const SAMPLE_CHARS = 128 * 1024;
const SAMPLE_RECORDS = 200;

/** Detects the delimiter: the one that splits most rows into the same number of cells. */
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

/** The share of all rows that have the most frequent number of cells above one. */
function consistency(counts: readonly number[]): number {
  const frequency = new Map<number, number>();
  for (const count of counts) if (count > 1) frequency.set(count, (frequency.get(count) ?? 0) + 1);
  return counts.length === 0 ? 0 : Math.max(0, ...frequency.values()) / counts.length;
}

/** The number of cells in each row; a delimiter or line break within quotes is part of the cell. */
function cellCounts(text: string, delimiter: string): number[] {
  const counts: number[] = [];
  let cellCount = 1;
  let isQuoted = false;
  let isCellStart = true;
  let isBlankLine = true;
  for (let i = 0; i < text.length && counts.length < SAMPLE_RECORDS; i++) {
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
  if (!isBlankLine && !isQuoted && counts.length < SAMPLE_RECORDS) counts.push(cellCount);
  return counts;
}
