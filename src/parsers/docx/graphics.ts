import { readChart } from "../shared/ooxml/chart.js";
import { diagramNodes } from "../shared/ooxml/diagram.js";
import type { OfficePackage } from "../shared/ooxml/office-package.js";
import type { SkippedContent } from "../shared/ooxml/skipped-content.js";
import { escapeXml } from "../shared/xml/xml-text.js";

/** The style of chart titles in the markup of {@link graphicsAsText}. */
export const CHART_TITLE_STYLE = "LorebaseChartTitle";

const REFERENCE = /<(?:\w+:)?(chart|relIds)\s[^<>]*?\br:(?:id|dm)="([^"<>]+)"[^<>]*>/g;

/** Adds the charts and diagrams of a Word part as paragraphs and tables after the paragraph that contains them. */
export function graphicsAsText(
  xml: string,
  office: OfficePackage,
  part: string,
  withTables: boolean,
  skipped: SkippedContent,
): string {
  let result = "";
  let copied = 0;
  for (const { 1: kind, 2: id, index } of xml.matchAll(REFERENCE)) {
    const target = office.partById(part, id);
    const text = target === undefined ? null : graphicMarkup(office, target, kind!, withTables);
    if (text === null) {
      skipped.countObject(kind === "chart" ? "charts" : "diagrams");
      continue;
    }
    const closing = xml.indexOf("</w:p>", index);
    if (closing === -1) break;
    const end = Math.max(copied, closing + "</w:p>".length);
    result += xml.slice(copied, end) + text;
    copied = end;
  }
  return result + xml.slice(copied);
}

function graphicMarkup(office: OfficePackage, part: string, kind: string, withTables: boolean): string | null {
  const root = office.xmlIfIntact(part);
  if (root === null) return null;
  if (kind === "relIds") {
    const paragraphs = diagramNodes(root).map((node) => paragraph(node.text));
    return paragraphs.join("");
  }
  const chart = readChart(root);
  if (chart === null) return null;
  const title = chart.title || (withTables ? "Chart" : "");
  const caption = title === "" ? "" : paragraph(title, CHART_TITLE_STYLE);
  return caption + (withTables ? table([chart.header, ...chart.rows]) : "");
}

function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;
}

function table(rows: readonly (readonly string[])[]): string {
  const rowMarkup = rows.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")}</w:tr>`);
  return `<w:tbl>${rowMarkup.join("")}</w:tbl>`;
}
