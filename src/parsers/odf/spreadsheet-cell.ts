import type { CellValue } from "../../interfaces/block.js";
import { plainNumber } from "../shared/ooxml/number-format.js";
import type { SheetCell } from "../shared/tables/sheet-to-blocks.js";
import { childElements, type XmlElement } from "../shared/xml/xml-tree.js";
import { type InlineContext, readInlineText } from "./inline-text.js";

/** Reads a cell with its text as displayed, or else formatted as its style says. Returns `undefined` if it is empty. */
export function readSheetCell(cell: XmlElement, context: InlineContext): SheetCell | undefined {
  const lines = childElements(cell, "text:p").map((line) => readInlineText(line.children, context).text);
  const stored = readStoredValue(cell);
  const text = lines.join(" ").trim() || formattedText(cell, stored, context);
  if (text === "") return undefined;
  return { text, value: text === stored.plain ? null : stored.value };
}

interface StoredValue {
  readonly value: CellValue;
  /** The value as text; differs from any displayed text for a boolean. */
  readonly plain: string;
  /** The number that formats apply to: for dates and times, days since the end of 1899; `null` for texts. */
  readonly number: number | null;
}

const NO_VALUE: StoredValue = { value: null, plain: "", number: null };

function readStoredValue({ attributes }: XmlElement): StoredValue {
  switch (attributes["office:value-type"]) {
    case "float":
    case "percentage":
    case "currency":
      return numberValue(attributes["office:value"]);
    case "date":
      return dateValue(attributes["office:date-value"] ?? "");
    case "time":
      return timeValue(attributes["office:time-value"] ?? "");
    case "boolean":
      return { ...NO_VALUE, value: attributes["office:boolean-value"] === "true" };
    default:
      return NO_VALUE;
  }
}

function numberValue(stored = ""): StoredValue {
  const value = Number(stored);
  if (stored.trim() === "" || !Number.isFinite(value)) return { ...NO_VALUE, plain: stored.trim() };
  return { value, plain: plainNumber(value), number: value };
}

const DAY_MS = 86_400_000;

function dateValue(stored: string): StoredValue {
  const iso = stored.trim().replace(/T00:00:00(?:\.0+)?$/, "");
  const ms = Date.parse(`${iso}${iso.includes("T") ? "Z" : ""}`);
  const value = iso.replace("T", " ");
  return { value, plain: value, number: Number.isNaN(ms) ? null : (ms - Date.UTC(1899, 11, 30)) / DAY_MS };
}

/** Reads a duration such as `PT13H05M09S`. */
function timeValue(stored: string): StoredValue {
  const match = /^(-?)P(?:(\d+)D)?T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d*)?S)?$/.exec(stored.trim());
  if (match === null) return { ...NO_VALUE, plain: stored.trim() };
  const [days, hours, minutes, seconds] = match.slice(2).map((part) => Number(part ?? 0)) as [number, ...number[]];
  const total = ((days * 24 + hours!) * 60 + minutes!) * 60 + seconds!;
  const twoDigits = (part: number): string => String(part).padStart(2, "0");
  const clock = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60].map(twoDigits).join(":");
  const value = match[1]! + clock;
  return { value, plain: value, number: (match[1] === "-" ? -total : total) / 86_400 };
}

/** Returns the text of a cell whose file doesn't say how it is displayed. */
function formattedText({ attributes }: XmlElement, { value, plain, number }: StoredValue, { styles }: InlineContext) {
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (number === null) return (attributes["office:string-value"] ?? plain).trim();
  const style = styles.dataStyleOf(attributes["table:style-name"]);
  const format = style === undefined ? null : styles.numbers.format(style);
  if (format !== null) return format.format(number, false).text;
  if (attributes["office:value-type"] === "percentage") return `${plainNumber(number * 100)}%`;
  return `${plain} ${attributes["office:currency"] ?? ""}`.trim();
}
