import { readChart } from "../shared/ooxml/chart.js";
import { diagramNodes } from "../shared/ooxml/diagram.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import type { SkippedContent } from "../shared/ooxml/skipped-content.js";
import { escapeXml } from "../shared/xml/xml-text.js";

/** The id of the paragraph style that {@link insertGraphics} gives to chart titles. */
export const CHART_TITLE_STYLE = "LorebaseChartTitle";

const GRAPHIC_REFERENCE_PATTERN = /<(?:\w+:)?(chart|relIds)\s[^<>]*?\br:(?:id|dm)="([^"<>]+)"[^<>]*>/g;

/**
 * Inserts the charts and diagrams of a Word part as paragraphs and tables after the paragraphs that contain them.
 *
 * @param addsTables Whether to insert the data of charts as tables.
 * @param skipped Counts graphics that cannot be read.
 */
export function insertGraphics(
  xml: string,
  office: OfficePackage,
  part: string,
  addsTables: boolean,
  skipped: SkippedContent,
): string {
  let result = "";
  let copiedEnd = 0;
  for (const { 1: kind, 2: id, index } of xml.matchAll(GRAPHIC_REFERENCE_PATTERN)) {
    const target = office.partById(part, id);
    const markup = target === undefined ? null : graphicMarkup(office, target, kind!, addsTables);
    if (markup === null) {
      skipped.countObject(kind === "chart" ? "charts" : "diagrams");
      continue;
    }
    const paragraphEnd = xml.indexOf("</w:p>", index);
    if (paragraphEnd === -1) break;
    const end = Math.max(copiedEnd, paragraphEnd + "</w:p>".length);
    result += xml.slice(copiedEnd, end) + markup;
    copiedEnd = end;
  }
  return result + xml.slice(copiedEnd);
}

function graphicMarkup(office: OfficePackage, part: string, kind: string, addsTables: boolean): string | null {
  const root = office.xmlIfIntact(part);
  if (root === null) return null;
  if (kind === "relIds") {
    const paragraphs = diagramNodes(root).map((node) => paragraphMarkup(node.text));
    return paragraphs.join("");
  }
  const chart = readChart(root);
  if (chart === null) return null;
  const title = chart.title || (addsTables ? "Chart" : "");
  const caption = title === "" ? "" : paragraphMarkup(title, CHART_TITLE_STYLE);
  return caption + (addsTables ? tableMarkup([chart.header, ...chart.rows]) : "");
}

function paragraphMarkup(text: string, style?: string): string {
  const properties = style === undefined ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;
}

function tableMarkup(rows: readonly (readonly string[])[]): string {
  const rowMarkup = rows.map(
    (row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraphMarkup(cell)}</w:tc>`).join("")}</w:tr>`,
  );
  return `<w:tbl>${rowMarkup.join("")}</w:tbl>`;
}
