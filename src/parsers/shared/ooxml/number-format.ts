import type { CellValue } from "../../../interfaces/block.js";
import { collapseWhitespace } from "../../../util/collapse-whitespace.js";
import { getOrCreate } from "../../../util/get-or-create.js";
import { format, getFormatDateInfo, getFormatFromId, isDateFormat } from "../../../vendor/numfmt.js";
import { type DateFormat, dateText } from "./serial-date.js";

/** A number as a cell displays it. */
export interface FormattedNumber {
  readonly text: string;
  /** The number, or the date or time in ISO 8601; `null` if the text says the same. */
  readonly value: CellValue;
}

/** The format of a cell's numbers. */
export interface NumberFormat {
  /** Formats a number. @param usesEpoch1904 Whether dates count from 1904 rather than 1900. */
  format(value: number, usesEpoch1904: boolean): FormattedNumber;
}

/**
 * The codes of built-in formats whose display depends on the reader's country: dates are shown in ISO 8601, and sums of
 * money without the sign of a currency. Workbooks that need a certain form define it.
 */
const NEUTRAL_CODES: ReadonlyMap<number, string> = new Map([
  [5, "#,##0"],
  [6, "#,##0"],
  [7, "#,##0.00"],
  [8, "#,##0.00"],
  [14, "yyyy-mm-dd"],
  [22, "yyyy-mm-dd hh:mm"],
  [42, "#,##0"],
  [44, "#,##0.00"],
]);
/** The length to which Excel limits format codes. */
const MAX_CODE_CHARACTERS = 255;
/** The number of values of a format that are remembered: many columns repeat theirs. */
const MAX_REMEMBERED_VALUES = 1000;
/** The number of days between the first days of the two calendars. */
const EPOCH_1904_DAYS = 1462;

const GENERAL: NumberFormat = { format: (value) => ({ text: plainNumber(value), value: null }) };

/** Returns the built-in format with an id. */
export function builtInFormat(id: number): NumberFormat {
  // In East Asian versions of Excel, these ids are date formats.
  if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return numberFormat("yyyy-mm-dd");
  return numberFormat(NEUTRAL_CODES.get(id) ?? getFormatFromId(id) ?? "");
}

/**
 * Parses a format code. Numbers are shown with all their digits if the code is invalid or would hide them.
 *
 * @param locale The locale of separators and of names of months and days, such as `de-AT`. Any other than the library's
 * is English.
 */
export function numberFormat(code: string, locale = "en"): NumberFormat {
  if (/^(?:general|@|\s*)$/i.test(code) || code.length > MAX_CODE_CHARACTERS) return GENERAL;
  const pattern = simplified(code);
  const isDuration = /\[(?:h+|m+|s+)\]/i.test(pattern.replace(/"[^"]*"|\\./g, ""));
  const dateParts = isDateFormat(pattern) && !isDuration ? datePartsOf(pattern) : null;
  const read = (value: number, usesEpoch1904: boolean): FormattedNumber => {
    const text = formatted(pattern, locale, dateParts !== null && usesEpoch1904 ? value + EPOCH_1904_DAYS : value);
    const date = dateParts === null ? null : dateText(value, { ...dateParts, usesEpoch1904 });
    if (text === "" || (dateParts !== null && date === null)) return GENERAL.format(value, usesEpoch1904);
    const stored = date ?? plainNumber(value);
    return { text, value: stored === text ? null : (date ?? Number(stored)) };
  };
  const remembered = { since1900: new Map<number, FormattedNumber>(), since1904: new Map<number, FormattedNumber>() };
  return {
    format(value, usesEpoch1904) {
      const values = usesEpoch1904 ? remembered.since1904 : remembered.since1900;
      if (values.size >= MAX_REMEMBERED_VALUES) values.clear();
      // A copy, since a merged cell is known by its object.
      return { ...getOrCreate(values, value, () => read(value, usesEpoch1904)) };
    },
  };
}

/**
 * Returns a format code without what only aligns numbers in a column, and without the locale of currencies: Excel takes
 * separators from the reader's locale.
 */
function simplified(code: string): string {
  return code
    .replace(/("[^"]*"|\\.)|[_*](.)/g, (_, literal?: string, filler?: string) => literal ?? (filler === " " ? " " : ""))
    .replace(/\[\$([^\]-]+)-[^\]]*\]/g, "[$$$1]");
}

/** Returns a number by a format code; an empty string if the code is invalid or hides it. */
function formatted(pattern: string, locale: string, value: number): string {
  try {
    return collapseWhitespace(format(pattern, value, { nbsp: false, locale }));
  } catch {
    // The library throws on codes that it can't parse.
    return "";
  }
}

/** Returns what a date format shows. The library takes the minutes of `mm:ss` for months. */
function datePartsOf(pattern: string): Pick<DateFormat, "hasDate" | "hasTime"> {
  const { year, month, day, hours, minutes, seconds } = getFormatDateInfo(pattern);
  return { hasDate: year || day || (month && !seconds), hasTime: hours || minutes || seconds };
}

/** Formats a number with all the digits that a spreadsheet keeps, without grouping. */
export function plainNumber(value: number): string {
  const rounded = Number(value.toPrecision(15));
  return Object.is(rounded, -0) ? "0" : String(rounded);
}
