import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { anchorOf, type Block, type Layout, type PrintedDocument, textBeforeReference } from "./documents.js";
import type { Printer } from "./printer.js";
import { hasMergedCells, type PrintedCell } from "./tables.js";

const CHROMIUM = "/usr/bin/chromium";

/** Prints HTML with Chromium, which sets no footnotes and writes the values of a form as text. */
export const browser: Printer = {
  name: "browser",
  hasAllScripts: true,
  hasNotes: false,
  hasOutlines: false,
  isInstalled: () => existsSync(CHROMIUM),
  async print(documents, folder) {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      for (const document of documents) {
        await page.setContent(toHtml(document));
        await page.pdf({
          path: join(folder, `${document.name}.pdf`),
          format: "A4",
          margin: { top: "25mm", bottom: "25mm", left: "22mm", right: "22mm" },
          displayHeaderFooter: true,
          headerTemplate: `<div style="font-size: 8px; margin-left: 22mm">${document.header}</div>`,
          footerTemplate:
            '<div style="font-size: 8px; width: 100%; text-align: center"><span class="pageNumber"></span></div>',
          tagged: document.layout.isTagged,
          outline: document.layout.hasOutline,
        });
      }
    } finally {
      await browser.close();
    }
  },
};

function toHtml({ language, isRightToLeft, layout, blocks }: PrintedDocument): string {
  const body = blocks.map(blockToHtml);
  // The title and the contents are above the columns.
  const start = blocks.findIndex((block) => block.kind === "heading" && block.level === 2);
  const columns = `<div class="columns">${body.slice(start).join("\n")}</div>`;
  const direction = isRightToLeft ? ' dir="rtl"' : "";
  const style = styleOf(layout, isRightToLeft);
  return `<!doctype html><html lang="${language}"${direction}><meta charset="utf-8"><style>${style}</style>
    <body>${body.slice(0, start).join("\n")}${columns}</body></html>`;
}

function blockToHtml(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `<h${block.level} id="${anchorOf(block.text)}">${block.text}</h${block.level}>`;
    case "contents":
      return block.entries
        .map(({ title, page }) => `<div class="entry"><span>${title}</span><i></i><span>${page}</span></div>`)
        .join("");
    case "paragraph":
      return `<p>${textBeforeReference(block)}${block.reference === null ? "" : `<a href="#${anchorOf(block.reference)}">${block.reference}</a>`}</p>`;
    case "list": {
      const tag = block.isOrdered ? "ol" : "ul";
      return `<${tag}>${block.items.map((item) => `<li>${item}</li>`).join("")}</${tag}>`;
    }
    case "table": {
      const cellToHtml = ({ text, rows, columns }: PrintedCell, tag: string): string =>
        `<${tag}${rows > 1 ? ` rowspan="${rows}"` : ""}${columns > 1 ? ` colspan="${columns}"` : ""}>${text}</${tag}>`;
      const row = (cells: readonly PrintedCell[], tag: string): string =>
        `<tr>${cells.map((cell) => cellToHtml(cell, tag)).join("")}</tr>`;
      const caption = block.caption === null ? "" : `<p class="caption">${block.caption}</p>`;
      const header = block.headerRows.map((cells) => row(cells, "th")).join("");
      const body = block.groups
        .flat()
        .map((cells) => row(cells, "td"))
        .join("");
      const kind = hasMergedCells(block) ? ' class="merged"' : "";
      return `${caption}<table${kind}><thead>${header}</thead><tbody>${body}</tbody></table>`;
    }
    case "form":
      return block.fields
        .map(({ label, value }) => `<p><label>${label}:</label> <input value="${value}"></p>`)
        .join("");
  }
}

function styleOf(layout: Layout, isRightToLeft: boolean): string {
  const { columns, isSerif, table, isJustified, headingSizes } = layout;
  const font = isRightToLeft ? "DejaVu Sans" : isSerif ? "Liberation Serif" : "Liberation Sans";
  const borders = {
    ruled: "th, td { border: 1px solid #333 }",
    rows: "tr { border-bottom: 1px solid #333 } thead tr { border-top: 2px solid #333 }",
    striped: "tr:nth-child(even) td { background: #e4e4e4 } th { background: #bbb }",
    plain: "",
  }[table];
  return `
    body { font: 10.5pt "${font}"; ${isJustified ? "text-align: justify;" : ""} }
    .columns { columns: ${columns}; column-gap: 9mm }
    ${headingSizes.map((size, i) => `h${i + 1} { font-size: ${size}pt; text-align: start }`).join(" ")}
    a { color: inherit; text-decoration: none }
    table { border-collapse: collapse; width: 100% } th, td { padding: 3px 8px; text-align: start } ${borders}
    .merged { break-inside: avoid } [colspan] { text-align: center }
    .caption { font-size: 9pt } .entry { display: flex } .entry i { flex: 1; border-bottom: 1px dotted #333; margin: 0 4px }
    input { border: 1px solid #333; font: inherit; width: 70mm }`;
}
