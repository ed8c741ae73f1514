import { BULLET_PATTERN, LIST_MARKER_PATTERN } from "../text/list-marker.js";

type Rows = readonly (readonly string[])[];

const LEADER_PATTERN = /^[.\s…_]{4,}$|\.{4,}|(?:\. ){4,}/;
/** The last dots of a leader and a page number, and the length in which they are looked for, so that no line takes long. */
const LEADER_END_PATTERN = /(?:[.…]\s?){4,}(?:\d{1,4}|[ivxlc]{1,7})$/i;
const LEADER_END_LENGTH = 24;
/** Matches the number of a page. */
export const PAGE_NUMBER_PATTERN = /^(?:\d{1,4}|[ivxlc]{1,7})$/i;

/** Whether a line ends with a page number after a row of dots. */
export function hasLeader(line: string): boolean {
  if (!LEADER_END_PATTERN.test(line.slice(-LEADER_END_LENGTH))) return false;
  const letter = line.search(/\p{L}/u);
  return letter !== -1 && letter < line.search(/[.…]\s?[.…]\s?[.…]/);
}

/** Whether rows are the lines of a contents page: titles, each with a page number, which never decrease. */
export function isContents(rows: Rows): boolean {
  const lines = rows.map((row) => row.filter((cell) => cell !== ""));
  if (lines.filter((cells) => cells.some((cell) => LEADER_PATTERN.test(cell))).length > rows.length / 2) return true;
  const entries = lines.filter((cells) => cells.length > 1);
  if (entries.length < 4 || entries.length < lines.length * 0.6) return false;
  const pages = entries.map((cells) => cells.at(-1)!);
  if (!entries.every((cells) => /\p{L}{3}/u.test(cells.slice(0, -1).join(" ")))) return false;
  if (entries.some((cells) => cells.length > 3)) return false;
  if (!pages.every((page) => PAGE_NUMBER_PATTERN.test(page))) return false;
  const numbers = pages.filter((page) => /^\d/.test(page)).map(Number);
  return numbers.every((page, i) => i === 0 || page >= numbers[i - 1]!) && new Set(numbers).size > 2;
}

/**
 * Whether rows are list items. Most of them have a marker or the number of a reference in the first cell, or the whole
 * item in one cell; or all begin with the same character, such as that of a comment.
 */
export function isList(rows: Rows): boolean {
  const isAlone = ([first = "", ...others]: readonly string[]): boolean =>
    BULLET_PATTERN.test(first) && others.every((cell) => cell === "");
  if (rows.filter(isAlone).length > rows.length * 0.5) return true;
  const marked = rows.filter(
    ([first = ""]) => (LIST_MARKER_PATTERN.test(first) && first.length <= 4) || /^\[\d{1,3}\]$/.test(first),
  );
  const texts = rows.filter((row) => row[0] !== "");
  if (rows[0]?.length !== 2 || texts.length === 0) return false;
  const [mark] = texts[0]!;
  return marked.length >= texts.length * 0.8 || (/^\D$/u.test(mark!) && texts.every((row) => row[0] === mark));
}

/** Returns the share of cells with text. */
export function filledShare(rows: Rows): number {
  const cells = rows.flat();
  return cells.filter((cell) => cell !== "").length / Math.max(1, cells.length);
}

/**
 * Whether columns are texts side by side: in two columns or more, the lines are long and often go on in the middle of a
 * sentence.
 *
 * @param lines For each line of the region, its text in each column.
 */
export function isProse(lines: Rows): boolean {
  const width = lines[0]?.length ?? 0;
  const flowing = Array.from({ length: width }, (_, column) => isFlowing(lines.map((line) => line[column]!)));
  return flowing.filter((flows) => flows).length >= 2;
}

/** Whether the lines of a column are a text: they are long and often go on in the middle of a sentence. */
export function isFlowing(texts: readonly string[]): boolean {
  const lines = texts.filter((text) => text !== "");
  if (lines.length < 3 || lines.reduce((sum, line) => sum + line.length, 0) / lines.length < 18) return false;
  const flowing = lines.filter(
    (line, i) => i > 0 && (BULLET_PATTERN.test(line) || (/^\p{Ll}/u.test(line) && !/[.:;!?]$/.test(lines[i - 1]!))),
  );
  return flowing.length >= (lines.length - 1) * 0.4;
}

/** Whether rows are the labels of a chart: numbers with many gaps between them. */
export function isChart(rows: Rows): boolean {
  return filledShare(rows) < 0.8 && rows.flat().every((cell) => !/\p{L}{2}/u.test(cell));
}
