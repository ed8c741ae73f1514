import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../run-program.js";
import { anchorOf, type Block, type Layout, type PrintedDocument, textBeforeReference } from "./documents.js";
import type { Printer } from "./printer.js";
import { gridOf, hasMergedCells, type PrintedCell } from "./tables.js";

const SOFFICE = "/usr/bin/soffice";

/** Prints flat OpenDocument texts with LibreOffice Writer. */
export const writer: Printer = {
  name: "writer",
  hasAllScripts: true,
  hasNotes: true,
  hasOutlines: true,
  isInstalled: () => existsSync(SOFFICE),
  async print(documents, folder) {
    const work = await mkdtemp(join(tmpdir(), "lorebase-writer-"));
    try {
      const choices = [false, true].flatMap((isTagged) =>
        [false, true].map((hasOutline) => ({ isTagged, hasOutline })),
      );
      for (const { isTagged, hasOutline } of choices) {
        const chosen = documents.filter(
          ({ layout }) => layout.isTagged === isTagged && layout.hasOutline === hasOutline,
        );
        if (chosen.length === 0) continue;
        const files = chosen.map(({ name }) => join(work, `${name}.fodt`));
        await Promise.all(chosen.map((document, i) => writeFile(files[i]!, toFlatText(document))));
        const options = JSON.stringify({
          UseTaggedPDF: { type: "boolean", value: String(isTagged) },
          ExportBookmarks: { type: "boolean", value: String(hasOutline) },
        });
        const profile = `-env:UserInstallation=file://${join(work, "profile")}`;
        const filter = `pdf:writer_pdf_Export:${options}`;
        await runProgram(SOFFICE, [profile, "--headless", "--convert-to", filter, "--outdir", folder, ...files], work);
      }
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  },
};

function toFlatText({ language, isRightToLeft, layout, header, blocks }: PrintedDocument): string {
  const body = blocks.map((block, index) => blockToText(block, index));
  // The title and the contents are above the columns.
  const start = blocks.findIndex((block) => block.kind === "heading" && block.level === 2);
  const rest = body.slice(start).join("\n");
  const columns =
    layout.columns === 2 ? `<text:section text:style-name="Columns" text:name="Columns">${rest}</text:section>` : rest;
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
  xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
  xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
  office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
${stylesOf(layout, language, isRightToLeft, header)}
<office:body><office:text>${body.slice(0, start).join("\n")}${columns}</office:text></office:body>
</office:document>`;
}

function blockToText(block: Block, index: number): string {
  switch (block.kind) {
    case "heading":
      return `<text:h text:style-name="Heading_${block.level}" text:outline-level="${block.level}"><text:bookmark text:name="${anchorOf(block.text)}"/>${block.text}</text:h>`;
    case "contents":
      return block.entries
        .map(({ title, page }) => `<text:p text:style-name="Entry">${title}<text:tab/>${page}</text:p>`)
        .join("");
    case "paragraph": {
      const { note } = block;
      const footnote = note
        ? `<text:note text:id="n${note.number}" text:note-class="footnote"><text:note-citation>${note.number}</text:note-citation><text:note-body><text:p text:style-name="Note">${note.text}</text:p></text:note-body></text:note>`
        : "";
      const reference =
        block.reference === null
          ? ""
          : `<text:a xlink:type="simple" xlink:href="#${anchorOf(block.reference)}">${block.reference}</text:a>`;
      return `<text:p text:style-name="Body">${textBeforeReference(block)}${reference}${footnote}</text:p>`;
    }
    case "list": {
      const items = block.items.map(
        (item) => `<text:list-item><text:p text:style-name="Body">${item}</text:p></text:list-item>`,
      );
      return `<text:list text:style-name="${block.isOrdered ? "Ordered" : "Bullets"}">${items.join("")}</text:list>`;
    }
    case "table": {
      const caption = block.caption === null ? "" : `<text:p text:style-name="Caption">${block.caption}</text:p>`;
      const header = rowsToText(block.headerRows, () => "Header", "HeaderCell");
      const body = rowsToText(block.groups.flat(), (i) => (i % 2 === 1 ? "Even" : "Odd"), "Cell");
      const style = hasMergedCells(block) ? "UndividedTable" : "Table";
      return `${caption}<table:table table:name="Table${index}" table:style-name="${style}"><table:table-column table:number-columns-repeated="4"/>
        <table:table-header-rows>${header}</table:table-header-rows>${body}</table:table>`;
    }
    case "form":
      return block.fields
        .map(({ label, value }) => `<text:p text:style-name="Body">${label}: ${value}</text:p>`)
        .join("");
  }
}

function rowsToText(
  rows: readonly (readonly PrintedCell[])[],
  styleOf: (row: number) => string,
  paragraph: string,
): string {
  return gridOf(rows)
    .map((places, y) => {
      const cells = places.map(({ cell, isFirstRow, isFirstColumn }) => {
        if (!isFirstRow || !isFirstColumn) return "<table:covered-table-cell/>";
        const spans = `table:number-columns-spanned="${cell.columns}" table:number-rows-spanned="${cell.rows}"`;
        const style = cell.columns > 1 ? `${paragraph}Centered` : paragraph;
        return `<table:table-cell table:style-name="${styleOf(y)}" ${spans} office:value-type="string"><text:p text:style-name="${style}">${cell.text}</text:p></table:table-cell>`;
      });
      return `<table:table-row>${cells.join("")}</table:table-row>`;
    })
    .join("");
}

function stylesOf(
  { columns, isSerif, table, isJustified, headingSizes }: Layout,
  language: string,
  isRightToLeft: boolean,
  header: string,
): string {
  const font = isRightToLeft ? "DejaVu Sans" : isSerif ? "Liberation Serif" : "Liberation Sans";
  const mode = isRightToLeft ? "rl-tb" : "lr-tb";
  const fonts = (size: number): string =>
    `fo:font-family="${font}" style:font-family-complex="${font}" fo:font-size="${size}pt" style:font-size-complex="${size}pt"`;
  const paragraph = (name: string, size: number, properties: string, text = ""): string =>
    `<style:style style:name="${name}" style:family="paragraph"><style:paragraph-properties style:writing-mode="${mode}" ${properties}/>
      <style:text-properties ${fonts(size)} ${text} fo:language="${language}"/></style:style>`;
  const bold = 'fo:font-weight="bold" style:font-weight-complex="bold"';
  const tabbed = (name: string, position: string, leader: string): string =>
    `<style:style style:name="${name}" style:family="paragraph"><style:paragraph-properties style:writing-mode="${mode}" fo:margin-bottom="1mm"><style:tab-stops>
      <style:tab-stop style:position="${position}" ${leader}/></style:tab-stops></style:paragraph-properties><style:text-properties ${fonts(10.5)}/></style:style>`;
  const borders = {
    ruled: 'fo:border="0.5pt solid #333333"',
    rows: 'fo:border-bottom="0.5pt solid #333333"',
    striped: "",
    plain: "",
  }[table];
  const cell = (name: string, background: string): string =>
    `<style:style style:name="${name}" style:family="table-cell"><style:table-cell-properties fo:padding="1mm" style:vertical-align="middle" ${borders} ${table === "striped" && background ? `fo:background-color="${background}"` : ""}/></style:style>`;
  const align = `fo:text-align="${isJustified ? "justify" : "start"}"`;
  return `<office:styles>
  ${headingSizes
    .map((size, i) =>
      i === 0
        ? paragraph("Heading_1", size, 'fo:margin-bottom="4mm"', bold)
        : paragraph(
            `Heading_${i + 1}`,
            size,
            `fo:margin-top="${i === 1 ? 5 : 3}mm" fo:margin-bottom="${i === 1 ? 2 : 1}mm" fo:keep-with-next="always"`,
            bold,
          ),
    )
    .join("\n")}
  ${paragraph("Body", 10.5, `${align} fo:margin-bottom="2mm"`)}
  ${paragraph("Caption", 9, 'fo:keep-with-next="always" fo:margin-top="2mm" fo:margin-bottom="1mm"')}
  ${paragraph("Cell", 10, "")} ${paragraph("HeaderCell", 10, "", bold)} ${paragraph("HeaderCellCentered", 10, 'fo:text-align="center"', bold)} ${paragraph("Note", 8.5, 'fo:margin-left="6mm" fo:text-indent="-6mm"')} ${paragraph("Margin", 8, "")}
  ${tabbed("Entry", "160mm", 'style:type="right" style:leader-style="dotted" style:leader-text="."')}
</office:styles>
<office:automatic-styles>
  <style:style style:name="Columns" style:family="section"><style:section-properties><style:columns fo:column-count="${columns}" fo:column-gap="9mm"/></style:section-properties></style:style>
  <style:style style:name="Table" style:family="table"><style:table-properties style:width="160mm" table:align="margins" style:writing-mode="${mode}"/></style:style>
  <style:style style:name="UndividedTable" style:family="table"><style:table-properties style:width="160mm" table:align="margins" style:may-break-between-rows="false" style:writing-mode="${mode}"/></style:style>
  ${cell("Header", "#bbbbbb")} ${cell("Odd", "")} ${cell("Even", "#e4e4e4")}
  <text:list-style style:name="Bullets"><text:list-level-style-bullet text:level="1" text:bullet-char="•"><style:list-level-properties text:list-level-position-and-space-mode="label-alignment"><style:list-level-label-alignment text:label-followed-by="listtab" text:list-tab-stop-position="8mm" fo:text-indent="-6mm" fo:margin-left="8mm"/></style:list-level-properties></text:list-level-style-bullet></text:list-style>
  <text:list-style style:name="Ordered"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."><style:list-level-properties text:list-level-position-and-space-mode="label-alignment"><style:list-level-label-alignment text:label-followed-by="listtab" text:list-tab-stop-position="8mm" fo:text-indent="-6mm" fo:margin-left="8mm"/></style:list-level-properties></text:list-level-style-number></text:list-style>
  <style:page-layout style:name="Page"><style:page-layout-properties fo:page-width="210mm" fo:page-height="297mm" fo:margin="25mm" style:writing-mode="${mode}"/><style:header-style><style:header-footer-properties fo:min-height="8mm" fo:margin-bottom="4mm"/></style:header-style><style:footer-style><style:header-footer-properties fo:min-height="8mm" fo:margin-top="4mm"/></style:footer-style></style:page-layout>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="Page"><style:header><text:p text:style-name="Margin">${header}</text:p></style:header><style:footer><text:p text:style-name="Margin"><text:page-number>1</text:page-number></text:p></style:footer></style:master-page></office:master-styles>`;
}
