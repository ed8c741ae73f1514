import { type TableCell, textsOfGrid } from "../page/table-cells.js";
import { isCaption } from "../text/captions.js";
import { joinLines } from "../text/join-lines.js";
import type { TablePart } from "../text/page-parts.js";

/** Tables whose edges differ by less, in points, are equally wide. */
const SAME_EDGE = 6;
/** The share of a column's cells that have a number in a column of numbers. */
const MIN_NUMBER_SHARE = 0.7;
/** A table may go on for all pages of a document, so that only its last rows are compared with the next page's. */
const MAX_COMPARED_ROWS = 300;

/** The kind of a caption and its number, as in "Table A.2". */
const LABEL_PATTERN = /^(\p{L}+)\.?\s*((?:\d+[a-z]?|[a-z]+)(?:[.-]\d+)*)(?![\p{L}\d])/iu;
const CONTINUED = "(?:continued|cont[.'’]?d?|Fortsetzung|suite|continuación|segue)";
/** "Continued" as a remark: in brackets, or apart from other words, which may be the title of another table. */
const CONTINUED_PATTERN = new RegExp(
  `[([]\\s*${CONTINUED}(?:\\s+from\\s[^)\\]]*)?[\\s.…]*[)\\]]|(?:^|[-–—,;:.])\\s*${CONTINUED}(?:\\s*[.:,–—-]|[\\s.…]*$)`,
  "iu",
);

/**
 * Whether a text is the caption of a table that was begun before: "Table 2 (continued)", or the same caption again.
 *
 * @param captions The captions before it, of which the last of the same kind has the same number.
 */
export function isContinuationCaption(text: string, captions: readonly string[]): boolean {
  const label = labelOf(text);
  if (label === null || text.length > 200 || !isCaption(text)) return false;
  const last = captions.map(labelOf).findLast((each) => each?.kind === label.kind);
  const isSame = last !== undefined && last?.number === label.number;
  if (isSame && last.title === label.title && /\p{L}/u.test(label.title)) return true;
  return CONTINUED_PATTERN.test(label.title) && (last === undefined || isSame);
}

/** Whether the caption of a continued table says more than the captions before it, such as units. */
export function addsToCaptions(text: string, captions: readonly string[]): boolean {
  const wordsOf = (some: string): readonly string[] => some.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const known = new Set(captions.flatMap(wordsOf));
  return wordsOf(labelOf(text)!.title.replace(CONTINUED_PATTERN, " ")).some((word) => !known.has(word));
}

/** Returns the label of a caption and the title behind it. */
function labelOf(caption: string): { readonly kind: string; readonly number: string; readonly title: string } | null {
  const match = isCaption(caption) ? LABEL_PATTERN.exec(caption) : null;
  if (match === null) return null;
  const [label, kind, number] = match as unknown as [string, string, string];
  return { kind: kind.toLowerCase(), number: number.toLowerCase(), title: caption.slice(label.length) };
}

/**
 * Whether a table at the top of a page continues the one at the end of the page before: it begins with the same header,
 * or is as wide and begins with a row that fits the rows above it. Without columns of numbers any row would fit, so that
 * the row must be the rest of the last one, unless a caption says that the table is continued.
 */
export function continuesTable(previous: TablePart, next: TablePart, hasCaption: boolean): boolean {
  if (next.page !== previous.rowPositions.at(-1)!.page + 1) return false;
  if (repeatsHeader(previous, next)) return true;
  const [header = []] = previous.rows;
  const from = Math.max(previous.headerRowCount, previous.rows.length - MAX_COMPARED_ROWS);
  const body = textsOfGrid(previous.rows.slice(from));
  const [first = []] = textsOfGrid(next.rows.slice(0, 1));
  if (first.length !== header.length || !areEquallyWide(previous, next) || body.length === 0) return false;
  const numeric = header.flatMap((_, column) => (isNumeric(body, column) ? [column] : []));
  if (numeric.length === 0) return hasCaption || isRestOfRow(first);
  return numeric.every((column) => first[column] === "" || hasNumber(first[column]!));
}

/** Appends the rows of a table to the table that it continues, without its repeated header. */
export function joinTables(previous: TablePart, next: TablePart): TablePart {
  const repeated = repeatsHeader(previous, next) ? previous.headerRowCount : 0;
  const rows = next.rows.slice(repeated);
  const rowPositions = next.rowPositions.slice(repeated);
  const [first = []] = rows;
  const upper = [...previous.rows];
  if (repeated === 0 && isRestOfRow(first.map(({ text }) => text))) {
    upper.push(joinRows(upper.pop()!, first));
    return {
      ...previous,
      rows: [...upper, ...rows.slice(1)],
      rowPositions: [...previous.rowPositions, ...rowPositions.slice(1)],
    };
  }
  return { ...previous, rows: [...upper, ...rows], rowPositions: [...previous.rowPositions, ...rowPositions] };
}

/** Joins two parts of a row, of which one may have fewer cells in a tagged table. */
function joinRows(row: readonly TableCell[], rest: readonly TableCell[]): TableCell[] {
  const width = Math.max(row.length, rest.length);
  return Array.from({ length: width }, (_, column) => ({
    text: joinLines([row[column]?.text ?? "", rest[column]?.text ?? ""].filter(Boolean)),
  }));
}

function repeatsHeader({ rows, headerRowCount }: TablePart, next: TablePart): boolean {
  const header = rows.slice(0, headerRowCount);
  return next.rows.length >= headerRowCount && header.every((row, i) => isSameRow(row, next.rows[i]!));
}

/** Whether a row is the rest of one that the page break divides: it has no label and goes on in lower case. */
function isRestOfRow([label = "", ...cells]: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell !== "");
  return label === "" && filled.length > 0 && filled.every((cell) => /^\p{Ll}/u.test(cell));
}

function areEquallyWide(previous: TablePart, next: TablePart): boolean {
  const above = previous.rowPositions.at(-1)!.bbox;
  return Math.abs(above[0] - next.box[0]) < SAME_EDGE && Math.abs(above[2] - next.box[2]) < SAME_EDGE;
}

function isSameRow(row: readonly TableCell[], other: readonly TableCell[]): boolean {
  return row.length === other.length && row.every(({ text }, i) => text === other[i]!.text);
}

function isNumeric(rows: readonly (readonly string[])[], column: number): boolean {
  const cells = rows.map((row) => row[column] ?? "").filter((cell) => cell !== "");
  return cells.length > 0 && cells.filter(hasNumber).length >= cells.length * MIN_NUMBER_SHARE;
}

function hasNumber(cell: string): boolean {
  return /\d/.test(cell);
}
