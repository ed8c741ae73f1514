import { getOrCreate } from "../../util/get-or-create.js";
import { type NumberFormat, numberFormat } from "../shared/ooxml/number-format.js";
import { integer } from "../shared/xml/xml-attributes.js";
import { childElements, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

const DATA_STYLE_PATTERN = /^number:(?:number|currency|percentage|date|time)-style$/;
/** The maximum number of digits of a part of a number. Spreadsheets have up to 30. */
const MAX_DIGITS = 30;

/** The formats of numbers, dates and times that a document defines, by the names of their styles. */
export class NumberStyles {
  readonly #elements = new Map<string, XmlElement>();
  readonly #formats = new Map<string, NumberFormat | null>();

  /** @param parents Elements that contain styles. */
  constructor(parents: readonly (XmlElement | undefined)[]) {
    for (const element of parents.flatMap((parent) => childElements(parent)))
      if (DATA_STYLE_PATTERN.test(element.name)) this.#elements.set(element.attributes["style:name"] ?? "", element);
  }

  /** Returns the format with a name, or `null` if the document defines none. */
  format(name: string): NumberFormat | null {
    return getOrCreate(this.#formats, name, () => {
      const element = this.#elements.get(name);
      return element === undefined ? null : numberFormat(this.#codeOf(element), localeOf(element));
    });
  }

  /** Returns the code that spreadsheets use for a format, with a section for each of its conditions. */
  #codeOf(element: XmlElement): string {
    const sections = childElements(element, "style:map").flatMap(({ attributes }) => {
      const condition = /^value\(\)\s*([<>=!]{1,2})\s*(-?[\d.]+)$/.exec(attributes["style:condition"] ?? "");
      const target = this.#elements.get(attributes["style:apply-style-name"] ?? "");
      if (condition === null || target === undefined) return [];
      return { condition: `${condition[1]!.replace("!=", "<>")}${condition[2]}`, code: sectionCode(target) };
    });
    const own = sectionCode(element);
    // A negative number has its sign in the text of its format, unless the format has no condition.
    const isNegative = sections.length === 1 && sections[0]!.condition === ">=0";
    return [...sections.map(({ condition, code }) => `[${condition}]${code}`), isNegative ? `[<0]${own}` : own].join(
      ";",
    );
  }
}

/** Returns the locale that an element declares, such as `de-AT`; `undefined` if it declares none. */
function localeOf({ attributes }: XmlElement): string | undefined {
  const language = attributes["number:language"];
  if (language === undefined || !/^[a-z]{2,3}$/i.test(language)) return undefined;
  const country = attributes["number:country"] ?? "";
  return /^[a-z]{2}$/i.test(country) ? `${language}-${country}` : language;
}

function sectionCode(style: XmlElement): string {
  return childElements(style)
    .map((part) => partCode(part, style))
    .join("");
}

function partCode(part: XmlElement, style: XmlElement): string {
  const { name, attributes } = part;
  const isLong = attributes["number:style"] === "long";
  switch (name) {
    case "number:number":
      return numberCode(attributes);
    case "number:scientific-number":
      return `${numberCode(attributes)}E+${"0".repeat(digitCount(attributes["number:min-exponent-digits"], 1))}`;
    case "number:fraction":
      return fractionCode(attributes);
    case "number:day":
      return isLong ? "dd" : "d";
    case "number:month":
      return (attributes["number:textual"] === "true" ? "mmm" : "m") + (isLong ? "m" : "");
    case "number:year":
      return isLong ? "yyyy" : "yy";
    case "number:day-of-week":
      return isLong ? "dddd" : "ddd";
    case "number:hours":
      return hoursCode(isLong ? "hh" : "h", style);
    case "number:minutes":
      return isLong ? "mm" : "m";
    case "number:seconds":
      return (isLong ? "ss" : "s") + decimals(digitCount(attributes["number:decimal-places"], 0), "0");
    case "number:am-pm":
      return "AM/PM";
    case "number:text":
    case "number:currency-symbol":
      return literalCode(textContent(part), style.name === "number:percentage-style");
    default:
      return "";
  }
}

/** Returns the code of hours. The number of hours of a duration isn't limited to those of a day. */
function hoursCode(code: string, style: XmlElement): string {
  return style.attributes["number:truncate-on-overflow"] === "false" ? `[${code}]` : code;
}

function numberCode(attributes: XmlElement["attributes"]): string {
  const places = digitCount(attributes["number:decimal-places"], 0);
  const shownPlaces = Math.min(places, digitCount(attributes["number:min-decimal-places"], places));
  const digits = "0".repeat(digitCount(attributes["number:min-integer-digits"], 1));
  const isGrouped = attributes["number:grouping"] === "true";
  const integerCode = isGrouped ? `#,${digits.padStart(3, "#")}` : digits || "#";
  const thousands = Math.round(Math.log10(Number(attributes["number:display-factor"] ?? 1) || 1) / 3);
  const scale = ",".repeat(Math.min(10, Math.max(0, thousands)));
  return (
    integerCode + decimals(shownPlaces, "0") + (places > shownPlaces ? fillDecimals(places, shownPlaces) : "") + scale
  );
}

function decimals(count: number, digit: "0" | "#"): string {
  return count === 0 ? "" : `.${digit.repeat(count)}`;
}

/** Returns the code of decimal places that are shown only if they are not zero. */
function fillDecimals(places: number, shownPlaces: number): string {
  return shownPlaces === 0 ? decimals(places, "#") : "#".repeat(places - shownPlaces);
}

function fractionCode(attributes: XmlElement["attributes"]): string {
  const whole = attributes["number:min-integer-digits"] === undefined ? "" : "# ";
  const numerator = "?".repeat(digitCount(attributes["number:min-numerator-digits"], 1));
  const denominator = attributes["number:denominator-value"];
  const isFixed = denominator !== undefined && /^[1-9]\d{0,3}$/.test(denominator);
  return `${whole}${numerator}/${isFixed ? denominator : "?".repeat(digitCount(attributes["number:min-denominator-digits"], 1))}`;
}

/** Quotes a text. The percent sign of a percentage stays a sign that multiplies the number. */
function literalCode(text: string, isPercentage: boolean): string {
  return text.replace(/"/g, "").replace(/%|[^%]+/g, (part) => (part === "%" && isPercentage ? "%" : `"${part}"`));
}

function digitCount(value: string | undefined, fallback: number): number {
  return Math.min(MAX_DIGITS, Math.max(0, integer(value, fallback)));
}
