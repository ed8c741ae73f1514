/** How a file of separated values is written. */
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
    const score = evenness(cellCounts(sample, delimiter));
    if (score > best.score + 0.05) best = { delimiter, score };
  }
  return { delimiter: best.delimiter, escapeChar };
}

/** The share of rows that have the most frequent number of cells; 0 if that number is one. */
function evenness(counts: readonly number[]): number {
  const frequency = new Map<number, number>();
  for (const count of counts) if (count > 1) frequency.set(count, (frequency.get(count) ?? 0) + 1);
  return counts.length === 0 ? 0 : Math.max(0, ...frequency.values()) / counts.length;
}

/** The number of cells in each row; a delimiter or line break within quotes is part of the cell. */
function cellCounts(text: string, delimiter: string): number[] {
  const counts: number[] = [];
  let cells = 1;
  let isQuoted = false;
  let isStart = true;
  let isBlank = true;
  for (let i = 0; i < text.length && counts.length < SAMPLE_RECORDS; i++) {
    const char = text[i]!;
    if (isQuoted) {
      if (char === '"') isQuoted = false;
      continue;
    }
    if (char === "\n") {
      if (!isBlank) counts.push(cells);
      cells = 1;
      isBlank = true;
    } else if (char === delimiter) cells++;
    else if (char === '"' && (isStart || text[i - 1] === '"')) isQuoted = true;
    if (char !== "\n") isBlank = false;
    isStart = char === "\n" || char === delimiter;
  }
  if (!isBlank && !isQuoted && counts.length < SAMPLE_RECORDS) counts.push(cells);
  return counts;
}
