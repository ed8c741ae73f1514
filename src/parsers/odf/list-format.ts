import { romanNumeral } from "../shared/markup/roman-numeral.js";
import { integer } from "../shared/xml/xml-attributes.js";
import { childElements, type XmlElement } from "../shared/xml/xml-tree.js";

/** The marker format of one list level. */
export interface LevelFormat {
  /** `1`, `a`, `A`, `i` or `I`; empty for bullets and levels without a number. */
  readonly format: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly start: number;
  /** Number of levels whose numbers are printed, including this one. */
  readonly displayLevels: number;
}

/** The formats of a list style, by level. */
export function levelFormats(style: XmlElement): readonly LevelFormat[] {
  const formats: LevelFormat[] = [];
  for (const { name, attributes } of childElements(style)) {
    const level = Number(attributes["text:level"]);
    if (!(level >= 1 && level <= 10)) continue;
    const isNumber = name === "text:list-level-style-number" || name === "text:outline-level-style";
    formats[level - 1] = {
      format: isNumber ? (attributes["style:num-format"] ?? "") : "",
      prefix: attributes["style:num-prefix"] ?? "",
      suffix: attributes["style:num-suffix"] ?? "",
      start: integer(attributes["text:start-value"], 1),
      displayLevels: integer(attributes["text:display-levels"], 1),
    };
  }
  return formats;
}

/** An item's number as printed, such as `2.1.` or `(b)`; `undefined` for a bullet. */
export function printedNumber(
  formats: readonly LevelFormat[],
  numbers: readonly number[],
  level: number,
): string | undefined {
  const levelFormat = formats[level];
  if (levelFormat === undefined || levelFormat.format === "") return undefined;
  const parts: string[] = [];
  for (let index = Math.max(0, level - levelFormat.displayLevels + 1); index <= level; index++) {
    const format = formats[index]?.format ?? "";
    if (format !== "") parts.push(formatNumber(numbers[index] ?? formats[index]?.start ?? 1, format));
  }
  return `${levelFormat.prefix}${parts.join(".")}${levelFormat.suffix}`.trim();
}

function formatNumber(value: number, format: string): string {
  const lower = format.toLowerCase();
  const text = lower === "a" ? letters(value) : lower === "i" ? romanOrDigits(value) : String(value);
  return format === lower ? text : text.toUpperCase();
}

/** a … z, aa … zz, like word processors. */
function letters(value: number): string {
  if (value < 1 || value > 26 * 20) return String(value);
  return String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));
}

/** Word processors show digits for zero and for numbers from four thousand on. */
function romanOrDigits(value: number): string {
  return value < 1 || value > 3999 ? String(value) : romanNumeral(value);
}
