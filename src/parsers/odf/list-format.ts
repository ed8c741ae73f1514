import { romanNumeral } from "../shared/markup/roman-numeral.js";
import { integer } from "../shared/xml/xml-attributes.js";
import { childElements, type XmlElement } from "../shared/xml/xml-tree.js";

/** The maximum length of the text around a number, so that a small file can't fill the memory with it. */
const MAX_AFFIX_CHARACTERS = 100;

/** The marker format of one list level. */
export interface LevelFormat {
  /** The number format: `1`, `a`, `A`, `i` or `I`; empty for bullets and levels without a number. */
  readonly format: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly start: number;
  /** The number of levels whose numbers are shown, including this one. */
  readonly displayedLevelCount: number;
}

/** Returns the marker formats of a list style, by level. */
export function levelFormats(style: XmlElement): readonly LevelFormat[] {
  const formats: LevelFormat[] = [];
  for (const { name, attributes } of childElements(style)) {
    const level = Number(attributes["text:level"]);
    if (!(level >= 1 && level <= 10)) continue;
    const isNumber = name === "text:list-level-style-number" || name === "text:outline-level-style";
    formats[level - 1] = {
      format: isNumber ? (attributes["style:num-format"] ?? "") : "",
      prefix: (attributes["style:num-prefix"] ?? "").slice(0, MAX_AFFIX_CHARACTERS),
      suffix: (attributes["style:num-suffix"] ?? "").slice(0, MAX_AFFIX_CHARACTERS),
      start: integer(attributes["text:start-value"], 1),
      displayedLevelCount: integer(attributes["text:display-levels"], 1),
    };
  }
  return formats;
}

/** Returns the number of an item as displayed, such as `2.1.` or `(b)`, or `undefined` for a bullet. */
export function displayedNumber(
  formats: readonly LevelFormat[],
  numbers: readonly number[],
  level: number,
): string | undefined {
  const levelFormat = formats[level];
  if (levelFormat === undefined || levelFormat.format === "") return undefined;
  const parts: string[] = [];
  for (let index = Math.max(0, level - levelFormat.displayedLevelCount + 1); index <= level; index++) {
    const format = formats[index]?.format ?? "";
    if (format !== "") parts.push(formatNumber(numbers[index] ?? formats[index]?.start ?? 1, format));
  }
  return `${levelFormat.prefix}${parts.join(".")}${levelFormat.suffix}`.trim();
}

function formatNumber(value: number, format: string): string {
  const lower = format.toLowerCase();
  const text = lower === "a" ? lettersOrDigits(value) : lower === "i" ? romanOrDigits(value) : String(value);
  return format === lower ? text : text.toUpperCase();
}

/** Formats a number with letters as word processors do: a … z, aa … zz, aaa … Large numbers stay digits. */
function lettersOrDigits(value: number): string {
  if (value < 1 || value > 26 * 20) return String(value);
  return String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));
}

/** Formats a number as a lower-case Roman numeral. Word processors show digits for zero and for 4,000 and above. */
function romanOrDigits(value: number): string {
  return value < 1 || value > 3999 ? String(value) : romanNumeral(value);
}
