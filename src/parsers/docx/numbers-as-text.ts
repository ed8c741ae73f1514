import { getOrCreate } from "../../util/get-or-create.js";
import { formatCount } from "../shared/ooxml/format-count.js";
import { escapeXml } from "../shared/xml/xml-text.js";
import type { NumberedList, Numbering, NumberingProperties } from "./read-numbering.js";

/** Delimiters of a marker in the text until the document is converted to HTML. */
const START = "\uE0F0";
const END = "\uE0F1";

/**
 * Writes the numbers that Word computes into a part's text: those of headings as printed, those of other paragraphs
 * between delimiters, which {@link withMarkers} removes.
 */
export function numbersAsText(xml: string, numbering: Numbering): string {
  if (numbering.lists.size === 0) return xml;
  const counter = new Counter();
  let result = "";
  let copied = 0;
  for (const { 0: opening, index } of xml.matchAll(/<w:p(?:\s[^<>]*)?>\s*<w:pPr>/g)) {
    const properties = propertiesAt(xml, index + opening.length);
    if (properties === null) break;
    const style = numbering.styles.get(/<w:pStyle\s[^<>]*?w:val="([^"]*)"/.exec(properties.text)?.[1] ?? "");
    const direct = directNumbering(properties.text);
    const list = numbering.lists.get(direct.list ?? style?.numbering.list ?? "");
    // A paragraph whose mark is deleted no longer exists.
    if (list === undefined || /<w:del\s/.test(properties.text)) continue;
    const number = counter.next(list, direct.level ?? style?.numbering.level ?? 0);
    const body = xml.slice(properties.end, xml.indexOf("</w:p>", properties.end));
    if (number === "" || !/<w:t[\s>]/.test(body)) continue;
    const text = style?.isHeading === true ? `${number} ` : `${START}${number}${END}`;
    result += `${xml.slice(copied, properties.end)}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;
    copied = properties.end;
  }
  return result + xml.slice(copied);
}

/** A paragraph's properties and their end; `null` if unclosed. Earlier ones (tracked changes) are nested in them. */
function propertiesAt(xml: string, start: number): { text: string; end: number } | null {
  let close = xml.indexOf("</w:pPr>", start);
  if (close === -1) return null;
  const [text, change] = xml.slice(start, close).split("<w:pPrChange");
  if (change !== undefined && !change.endsWith("/>")) close = xml.indexOf("</w:pPr>", close + 1);
  return close === -1 ? null : { text: text!, end: close + "</w:pPr>".length };
}

function directNumbering(properties: string): NumberingProperties {
  const numPr = properties.slice(Math.max(0, properties.indexOf("<w:numPr>")));
  if (!numPr.startsWith("<w:numPr>")) return { list: undefined, level: undefined };
  const level = /<w:ilvl\s[^<>]*?w:val="(\d+)"/.exec(numPr)?.[1];
  return {
    list: /<w:numId\s[^<>]*?w:val="([^"]*)"/.exec(numPr)?.[1],
    level: level === undefined ? undefined : Number(level),
  };
}

/** Moves the markers of list items to the attribute `data-marker`, and turns all others into text. */
export function withMarkers(html: string): string {
  if (!html.includes(START)) return html;
  return html
    .replace(new RegExp(`<li>((?:<[^<>]*>)*)${START}([^${END}<]*)${END}`, "g"), (_, tags, marker) => {
      return `<li data-marker="${marker.replaceAll('"', "&quot;")}">${tags}`;
    })
    .replace(new RegExp(`${START}([^${END}<]*)${END}`, "g"), "$1 ");
}

class Counter {
  readonly #counts = new Map<string, number[]>();
  readonly #started = new Set<NumberedList>();

  /** The number of the list's next paragraph at a level; empty if it has none. */
  next(list: NumberedList, level: number): string {
    const definition = list.levels.get(level);
    if (definition === undefined) return "";
    const counts = getOrCreate(this.#counts, list.family, () => []);
    if (!this.#started.has(list)) {
      this.#started.add(list);
      for (const [index, start] of list.restarts) counts[index] = start - 1;
    }
    counts[level] = (counts[level] ?? definition.start - 1) + 1;
    counts.length = level + 1;
    if (definition.format === "bullet" || definition.format === "none") return "";
    return definition.pattern
      .replace(/%(\d)/g, (_, digit: string) => {
        const index = Number(digit) - 1;
        const { start = 1, format = "decimal" } = list.levels.get(index) ?? {};
        return printNumber(counts[index] ?? start, definition.isLegal ? "decimal" : format);
      })
      .trim();
  }
}

function printNumber(count: number, format: string): string {
  if (format === "none") return "";
  return format === "decimalZero" ? String(count).padStart(2, "0") : formatCount(count, format);
}
