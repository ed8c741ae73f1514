import { dateText } from "./serial-date.js";

/** The format of a cell's numbers. */
export interface NumberFormat {
  /** Formats a number. @param usesEpoch1904 Whether dates count from 1904 rather than 1900. */
  format(value: number, usesEpoch1904: boolean): string;
}

/** The codes of the built-in formats, by id. Built-in formats that are not listed show numbers unchanged. */
const BUILT_IN_CODES: Readonly<Record<number, string>> = {
  9: "0%",
  10: "0.00%",
  14: "m/d/yyyy",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "m/d/yyyy h:mm",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss.0",
};

const GENERAL: NumberFormat = { format: plainNumber };

/** Returns the built-in format with an id. */
export function builtInFormat(id: number): NumberFormat {
  // In East Asian versions of Excel, these ids are date formats.
  if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return numberFormat("yyyy/m/d");
  return numberFormat(BUILT_IN_CODES[id] ?? "");
}

/** Parses a format code: date, time, percentage, currency or number. Numbers are never rounded. */
export function numberFormat(code: string): NumberFormat {
  const section = firstSection(code);
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return { format: formatDuration };
  const currency = currencyOf(section);
  const placeholders = section.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, "");
  if (/^(?:general|@?)$/i.test(placeholders.trim()) && currency === null) return GENERAL;
  const hasTime = /[hs]|am\/pm|a\/p/i.test(placeholders);
  const hasDate =
    /[yd]|\bb{2,4}\b/i.test(placeholders) || (!hasTime && /m/i.test(placeholders) && !/[0#?]/.test(placeholders));
  if (hasDate || (hasTime && !/[#?]/.test(placeholders))) {
    return {
      format: (value, usesEpoch1904) => dateText(value, { hasDate, hasTime, usesEpoch1904 }) ?? plainNumber(value),
    };
  }
  if (placeholders.includes("%")) return { format: (value) => `${plainNumber(value * 100)}%` };
  if (currency !== null) return { format: (value) => withCurrency(value, currency) };
  // Leading zeros are part of postcodes and article numbers.
  if (/^0{2,}$/.test(placeholders)) return { format: (value) => padZeros(value, placeholders.length) };
  return GENERAL;
}

/** Formats a number with all the digits that a spreadsheet keeps, without grouping. */
export function plainNumber(value: number): string {
  const rounded = Number(value.toPrecision(15));
  return Object.is(rounded, -0) ? "0" : String(rounded);
}

function firstSection(code: string): string {
  return /^(?:"[^"]*"|\\.|[^;"\\])*/.exec(code)?.[0] ?? "";
}

interface Currency {
  readonly symbol: string;
  readonly isPrefix: boolean;
}

function currencyOf(section: string): Currency | null {
  const found = /\[\$([^\]-]+)(?:-[^\]]*)?\]|"\s*(\p{Sc}|[A-Z]{3})\s*"|\\?(\p{Sc})/u.exec(section);
  const symbol = (found?.[1] ?? found?.[2] ?? found?.[3] ?? "").trim();
  if (found === null || symbol === "") return null;
  return { symbol, isPrefix: found.index < section.search(/[0#?]/) };
}

function withCurrency(value: number, { symbol, isPrefix }: Currency): string {
  const number = plainNumber(Math.abs(value));
  const sign = value < 0 ? "-" : "";
  const gap = /\p{L}$/u.test(symbol) ? " " : "";
  return isPrefix ? `${sign}${symbol}${gap}${number}` : `${sign}${number} ${symbol}`;
}

function padZeros(value: number, digitCount: number): string {
  const text = plainNumber(Math.abs(value));
  return Number.isInteger(value) ? `${value < 0 ? "-" : ""}${text.padStart(digitCount, "0")}` : plainNumber(value);
}

/** Formats a duration in days as hours, minutes and seconds; the hours may exceed 24. */
function formatDuration(value: number): string {
  const seconds = Math.round(Math.abs(value) * 86_400);
  const twoDigits = (part: number): string => String(part).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  return `${value < 0 ? "-" : ""}${hours}:${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
}
