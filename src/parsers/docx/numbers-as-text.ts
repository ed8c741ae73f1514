import { getOrCreate } from "../../util/get-or-create.js";
import { formatCount } from "../shared/ooxml/counting.js";
import { escapeXml } from "../shared/xml/xml-text.js";
import type { NumberedList, Numbering, NumberPlace } from "./read-numbering.js";

/** Delimiters of a marker in the text until the text is HTML. */
const BEFORE = "\uE0F0";
const AFTER = "\uE0F1";

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
    const own = ownPlace(properties.text);
    const list = numbering.lists.get(own.list ?? style?.place.list ?? "");
    // A paragraph whose end is deleted doesn't exist any more.
    if (list === undefined || /<w:del\s/.test(properties.text)) continue;
    const number = counter.next(list, own.level ?? style?.place.level ?? 0);
    const body = xml.slice(properties.end, xml.indexOf("</w:p>", properties.end));
    if (number === "" || !/<w:t[\s>]/.test(body)) continue;
    const text = style?.isHeading === true ? `${number} ` : `${BEFORE}${number}${AFTER}`;
    result += `${xml.slice(copied, properties.end)}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;
    copied = properties.end;
  }
  return result + xml.slice(copied);
}

/** A paragraph's current properties and where they end; its earlier properties (tracked changes) are nested in them. */
function propertiesAt(xml: string, start: number): { text: string; end: number } | null {
  let close = xml.indexOf("</w:pPr>", start);
  if (close === -1) return null;
  const [text, change] = xml.slice(start, close).split("<w:pPrChange");
  if (change !== undefined && !change.endsWith("/>")) close = xml.indexOf("</w:pPr>", close + 1);
  return close === -1 ? null : { text: text!, end: close + "</w:pPr>".length };
}

function ownPlace(properties: string): NumberPlace {
  const numbers = properties.slice(Math.max(0, properties.indexOf("<w:numPr>")));
  if (!numbers.startsWith("<w:numPr>")) return { list: undefined, level: undefined };
  const level = /<w:ilvl\s[^<>]*?w:val="(\d+)"/.exec(numbers)?.[1];
  return {
    list: /<w:numId\s[^<>]*?w:val="([^"]*)"/.exec(numbers)?.[1],
    level: level === undefined ? undefined : Number(level),
  };
}

/** Moves the markers of list items to the attribute `data-marker`, and turns all others into text. */
export function withMarkers(html: string): string {
  if (!html.includes(BEFORE)) return html;
  return html
    .replace(new RegExp(`<li>((?:<[^<>]*>)*)${BEFORE}([^${AFTER}<]*)${AFTER}`, "g"), (_, tags, marker) => {
      return `<li data-marker="${marker.replaceAll('"', "&quot;")}">${tags}`;
    })
    .replace(new RegExp(`${BEFORE}([^${AFTER}<]*)${AFTER}`, "g"), "$1 ");
}

class Counter {
  readonly #counts = new Map<string, number[]>();
  readonly #begun = new Set<NumberedList>();

  /** The number of the list's next paragraph on a level; empty if it has none. */
  next(list: NumberedList, level: number): string {
    const rule = list.levels.get(level);
    if (rule === undefined) return "";
    const counts = getOrCreate(this.#counts, list.family, () => []);
    if (!this.#begun.has(list)) {
      this.#begun.add(list);
      for (const [at, start] of list.restarts) counts[at] = start - 1;
    }
    counts[level] = (counts[level] ?? rule.start - 1) + 1;
    counts.length = level + 1;
    if (rule.format === "bullet" || rule.format === "none") return "";
    return rule.pattern
      .replace(/%(\d)/g, (_, digit: string) => {
        const at = Number(digit) - 1;
        const shown = list.levels.get(at);
        return printed(counts[at] ?? shown?.start ?? 1, rule.isLegal ? "decimal" : (shown?.format ?? "decimal"));
      })
      .trim();
  }
}

function printed(count: number, format: string): string {
  if (format === "none") return "";
  return format === "decimalZero" ? String(count).padStart(2, "0") : formatCount(count, format);
}
