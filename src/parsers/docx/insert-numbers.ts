import { ListCounter } from "../shared/office/list-counter.js";
import { escapeXml } from "../shared/xml/xml-text.js";
import type { Numbering, NumberingProperties } from "./read-numbering.js";

/** The delimiters of a marker in the text, until the document has been converted to HTML. */
const MARKER_START = "\uE0F0";
const MARKER_END = "\uE0F1";

/**
 * Inserts the numbers that Word computes into the text of the paragraphs of a part: as text in headings, and between
 * delimiters in other paragraphs. {@link extractMarkers} removes the delimiters.
 */
export function insertNumbers(xml: string, numbering: Numbering): string {
  if (numbering.lists.size === 0) return xml;
  const counter = new ListCounter();
  let result = "";
  let copiedEnd = 0;
  for (const { 0: opening, index } of xml.matchAll(/<w:p(?:\s[^<>]*)?>\s*<w:pPr>/g)) {
    const properties = propertiesAt(xml, index + opening.length);
    if (properties === null) break;
    const style = numbering.styles.get(/<w:pStyle\s[^<>]*?w:val="([^"]*)"/.exec(properties.text)?.[1] ?? "");
    const direct = directNumbering(properties.text);
    const list = numbering.lists.get(direct.listId ?? style?.numbering.listId ?? "");
    // A paragraph whose paragraph mark is deleted no longer exists.
    if (list === undefined || /<w:del\s/.test(properties.text)) continue;
    const number = counter.next(list, direct.level ?? style?.numbering.level ?? 0);
    const body = xml.slice(properties.end, xml.indexOf("</w:p>", properties.end));
    if (number === "" || !/<w:t[\s>]/.test(body)) continue;
    const text = style?.isHeading === true ? `${number} ` : `${MARKER_START}${number}${MARKER_END}`;
    result += `${xml.slice(copiedEnd, properties.end)}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;
    copiedEnd = properties.end;
  }
  return result + xml.slice(copiedEnd);
}

/**
 * Returns a paragraph's properties and the offset after them, or `null` if they are not closed. Skips the earlier
 * properties that tracked changes nest in them.
 */
function propertiesAt(xml: string, start: number): { text: string; end: number } | null {
  let textEnd = xml.indexOf("</w:pPr>", start);
  if (textEnd === -1) return null;
  const [text, change] = xml.slice(start, textEnd).split("<w:pPrChange");
  if (change !== undefined && !change.endsWith("/>")) textEnd = xml.indexOf("</w:pPr>", textEnd + 1);
  return textEnd === -1 ? null : { text: text!, end: textEnd + "</w:pPr>".length };
}

function directNumbering(properties: string): NumberingProperties {
  const numPr = properties.slice(Math.max(0, properties.indexOf("<w:numPr>")));
  if (!numPr.startsWith("<w:numPr>")) return { listId: undefined, level: undefined };
  const level = /<w:ilvl\s[^<>]*?w:val="(\d+)"/.exec(numPr)?.[1];
  return {
    listId: /<w:numId\s[^<>]*?w:val="([^"]*)"/.exec(numPr)?.[1],
    level: level === undefined ? undefined : Number(level),
  };
}

/** Moves the markers of list items to the attribute `data-marker`. Other markers stay as text, without delimiters. */
export function extractMarkers(html: string): string {
  if (!html.includes(MARKER_START)) return html;
  return html
    .replace(
      new RegExp(`<li>((?:<[^<>]*>)*)${MARKER_START}([^${MARKER_END}<]*)${MARKER_END}`, "g"),
      (_, tags, marker) => {
        return `<li data-marker="${marker.replaceAll('"', "&quot;")}">${tags}`;
      },
    )
    .replace(new RegExp(`${MARKER_START}([^${MARKER_END}<]*)${MARKER_END}`, "g"), "$1 ");
}
