import { strToU8, zipSync } from "fflate";
import { type Element, VISITOR_GUIDE } from "./visitor-guide.js";

const MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Writes the visitor guide as a Word document; the same bytes on every run. */
export function makeDocx(): Uint8Array {
  const parts: Record<string, string> = {
    "[Content_Types].xml": contentTypes(),
    "_rels/.rels": relationships([
      ["officeDocument", "word/document.xml"],
      ["metadata/core-properties", "docProps/core.xml"],
    ]),
    "docProps/core.xml": coreProperties(),
    "word/_rels/document.xml.rels": relationships([
      ["styles", "styles.xml"],
      ["numbering", "numbering.xml"],
    ]),
    "word/styles.xml": styles(),
    "word/numbering.xml": numbering(),
    "word/document.xml": documentXml(),
  };
  const files = Object.entries(parts).map(([name, xml]) => [name, strToU8(DECLARATION + xml)] as const);
  return zipSync(Object.fromEntries(files), { level: 9, mtime: new Date(2026, 2, 2, 9) });
}

function documentXml(): string {
  const body = VISITOR_GUIDE.map((element) =>
    element.style === "Table" ? table(element.rows) : paragraph(element.style, element.text),
  );
  const page =
    '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1417" w:right="1304" w:bottom="1417" w:left="1304"/></w:sectPr>';
  return `<w:document xmlns:w="${MAIN}"><w:body>${body.join("")}${page}</w:body></w:document>`;
}

function paragraph(style: Exclude<Element["style"], "Table">, text: string, bold = false): string {
  const run = `<w:r>${bold ? "<w:rPr><w:b/></w:rPr>" : ""}<w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;
  const bullet = style === "ListParagraph" ? '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>' : "";
  return `<w:p><w:pPr><w:pStyle w:val="${style}"/>${bullet}</w:pPr>${run}</w:p>`;
}

function table(rows: readonly (readonly string[])[]): string {
  const line = (side: string) => `<w:${side} w:val="single" w:sz="4" w:color="A0A8B0"/>`;
  const borders = ["top", "bottom", "insideH"].map(line).join("");
  const body = rows.map((row, index) => {
    const header = index === 0 ? "<w:trPr><w:tblHeader/></w:trPr>" : "";
    const cells = row.map((cell) => `<w:tc>${paragraph("Normal", cell, index === 0)}</w:tc>`);
    return `<w:tr>${header}${cells.join("")}</w:tr>`;
  });
  const grid = [2300, 1700, 1700, 3600].map((width) => `<w:gridCol w:w="${width}"/>`).join("");
  const properties = `<w:tblPr><w:tblW w:w="9300" w:type="dxa"/><w:tblBorders>${borders}</w:tblBorders></w:tblPr>`;
  return `<w:tbl>${properties}<w:tblGrid>${grid}</w:tblGrid>${body.join("")}</w:tbl>${paragraph("Normal", "")}`;
}

function styles(): string {
  const style = (id: string, name: string, paragraphXml: string, runXml: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:pPr>${paragraphXml}</w:pPr><w:rPr>${runXml}</w:rPr></w:style>`;
  const heading = (level: number, size: number) =>
    style(
      `Heading${level}`,
      `heading ${level}`,
      `<w:keepNext/><w:spacing w:before="280" w:after="80"/><w:outlineLvl w:val="${level - 1}"/>`,
      `<w:b/><w:color w:val="17486B"/><w:sz w:val="${size}"/>`,
    );
  const font = '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="22"/>';
  return [
    `<w:styles xmlns:w="${MAIN}"><w:docDefaults><w:rPrDefault><w:rPr>${font}</w:rPr></w:rPrDefault></w:docDefaults>`,
    style("Normal", "Normal", '<w:spacing w:after="120" w:line="276"/>', ""),
    style("Title", "Title", '<w:spacing w:after="240"/>', '<w:b/><w:color w:val="17486B"/><w:sz w:val="48"/>'),
    heading(1, 30),
    heading(2, 25),
    style("ListParagraph", "List Paragraph", '<w:spacing w:after="60"/>', ""),
    "</w:styles>",
  ].join("");
}

function numbering(): string {
  const level =
    '<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/><w:pPr><w:ind w:left="454" w:hanging="284"/></w:pPr></w:lvl>';
  return `<w:numbering xmlns:w="${MAIN}"><w:abstractNum w:abstractNumId="0">${level}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
}

function coreProperties(): string {
  const dublinCore = "http://purl.org/dc/elements/1.1/";
  return `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="${dublinCore}"><dc:title>Visiting Skerrin Light</dc:title><dc:creator>Skerrin Light Trust</dc:creator></cp:coreProperties>`;
}

function contentTypes(): string {
  const part = (name: string, type: string) => `<Override PartName="${name}" ContentType="${type}+xml"/>`;
  return [
    `<Types xmlns="${PACKAGE}/content-types">`,
    '<Default Extension="xml" ContentType="application/xml"/>',
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    part("/word/document.xml", `${WORD}.document.main`),
    part("/word/styles.xml", `${WORD}.styles`),
    part("/word/numbering.xml", `${WORD}.numbering`),
    part("/docProps/core.xml", "application/vnd.openxmlformats-package.core-properties"),
    "</Types>",
  ].join("");
}

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const items = targets.map(([type, target], index) => {
    const base = type.startsWith("metadata/") ? `${PACKAGE}/relationships` : OFFICE;
    return `<Relationship Id="rId${index + 1}" Type="${base}/${type}" Target="${target}"/>`;
  });
  return `<Relationships xmlns="${PACKAGE}/relationships">${items.join("")}</Relationships>`;
}

function escapeXml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
