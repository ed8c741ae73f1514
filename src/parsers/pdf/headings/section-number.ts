import { romanValue } from "../../shared/markup/roman-numeral.js";

/** Sections count through the document; parts, Roman numerals and letters may begin anew. */
export type NumberFormat = "section" | "part" | "roman" | "letter" | "bareLetter";

/** The number before a title, such as `2.1` or `Appendix B`. */
export interface SectionNumber {
  /** Its parts, outermost first; the letters of appendices come after all numbers. */
  readonly path: readonly number[];
  readonly format: NumberFormat;
  /** The title after the number. */
  readonly title: string;
}

const CHAPTER_PATTERN =
  /^(?:chapter|kapitel|chapitre|cap[ií]tulo|capitolo|глава|section|abschnitt|раздел)\s+(\d{1,3}|[IVX]{1,6})(?=[.:\s]|$)[.:]?\s*(?:[-–—]\s+)?/iu;
const APPENDIX_PATTERN =
  /^(?:appendix|anhang|annexe?|приложение)\s+(\d{1,3}|[A-Z]|[IVX]{1,6})(?=[.:\s]|$)[.:]?\s*(?:[-–—]\s+)?/iu;
const PART_PATTERN = /^(?:part|teil|partie|parte|часть)\s+(\d{1,3}|[IVX]{1,6})(?=[.:\s]|$)[.:]?\s*(?:[-–—]\s+)?/iu;
const DECIMAL_PATTERN = /^((?:\d{1,3}|[A-Z](?=\.\d))(?:\.\d{1,3}){0,5})[.:)]?\s+(?=\S)/;
const ROMAN_PATTERN = /^([IVX]{1,6})[.)]\s+(?=\S)/;
const LETTER_PATTERN = /^([A-Z])[.)]\s+(?=\S)/;
const BARE_LETTER_PATTERN = /^([A-Z])\s+(?=\p{L})/u;

/** More than the sections that a document numbers. */
const FIRST_LETTER = 1000;

/** Reads the number that a title begins with; `null` if it has none. */
export function sectionNumber(title: string): SectionNumber | null {
  const read = (pattern: RegExp, format: NumberFormat): SectionNumber | null => {
    const match = pattern.exec(title);
    if (match === null) return null;
    const isRoman = format === "roman" || format === "part" || pattern === CHAPTER_PATTERN;
    const path = match[1]!.split(".").map((part) => partValue(part, isRoman));
    return { path, format, title: title.slice(match[0].length) };
  };
  return (
    read(CHAPTER_PATTERN, "section") ??
    read(APPENDIX_PATTERN, "section") ??
    read(PART_PATTERN, "part") ??
    read(DECIMAL_PATTERN, "section") ??
    read(ROMAN_PATTERN, "roman") ??
    read(LETTER_PATTERN, "letter") ??
    read(BARE_LETTER_PATTERN, "bareLetter")
  );
}

function partValue(part: string, isRoman: boolean): number {
  if (/^\d/.test(part)) return Number(part);
  return isRoman || part.length > 1 ? romanValue(part) : FIRST_LETTER + part.toUpperCase().charCodeAt(0);
}

/** Compares two numbers of sections as they follow each other in a document: 1, 1.1, 1.2, 2. */
export function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
