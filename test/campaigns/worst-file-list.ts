import { crc32, deflateSync } from "node:zlib";
import { zipSync } from "fflate";
import { makeEpub, makeOdf } from "../support/make-archives.js";
import { makeDocx, makeMsg, makeNotebook, makePdf } from "../support/make-files.js";
import { makeXls, xlsCell } from "../support/make-legacy-office.js";
import { makePptx, makeXlsx } from "../support/make-office.js";

export interface WorstFile {
  readonly name: string;
  make(): Uint8Array | Promise<Uint8Array>;
}

const MEGABYTE = 1024 * 1024;

/** A pattern over and over, of so many megabytes or a little less. */
function repeated(pattern: string, megabytes: number, before = "", after = ""): Uint8Array {
  const unit = Buffer.from(pattern);
  const count = Math.floor((megabytes * MEGABYTE) / unit.length);
  return Buffer.concat([Buffer.from(before), Buffer.alloc(count * unit.length, unit), Buffer.from(after)]);
}

/** Numbered pieces, so that nothing is the same twice. */
function numbered(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join("");
}

/** A PNG of zeros that are never held in full: a row is compressed many times over. */
function hugePng(width: number, height: number): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(content), 4);
    return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
  };
  const data = deflateSync(Buffer.alloc(Math.min(height * (width + 1), 64 * MEGABYTE)));
  const magic = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([magic, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/** A PDF of one page whose content stream is as given. */
function pdfWithContent(content: Uint8Array): Uint8Array {
  const data = deflateSync(content);
  const head = `%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>\nendobj\n4 0 obj\n<</Length ${data.length}/Filter/FlateDecode>>\nstream\n`;
  return Buffer.concat([Buffer.from(head), data, Buffer.from("\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n")]);
}

async function pdfOfPages(count: number): Promise<Uint8Array> {
  const line = (page: number, row: number) => ({
    text: `Page ${page}, line ${row}: some words that say nothing.`,
    x: 50,
    y: 60 + row * 14,
  });
  return makePdf(Array.from({ length: count }, (_, page) => Array.from({ length: 50 }, (_, row) => line(page, row))));
}

/** Multipart within multipart. */
function nestedMail(depth: number): string {
  const open = numbered(depth, (i) => `Content-Type: multipart/mixed; boundary="b${i}"\r\n\r\n--b${i}\r\n`);
  return `Subject: Deep\r\nMIME-Version: 1.0\r\n${open}Content-Type: text/plain\r\n\r\ntext\r\n`;
}

const entities = `<!DOCTYPE a [<!ENTITY a0 "ha">${numbered(
  30,
  (i) => `<!ENTITY a${i + 1} "&a${i};&a${i};&a${i};&a${i};">`,
)}]><a>&a30;</a>`;
const aliases = numbered(30, (i) => `a${i + 1}: &a${i + 1} [*a${i},*a${i},*a${i},*a${i},*a${i},*a${i}]\n`);

/** Files that take as much memory or time as files of their formats can. Each is the same in every run. */
export const WORST_FILES: readonly WorstFile[] = [
  { name: "brackets-10.json", make: () => repeated("[", 10) },
  { name: "brackets-100.json", make: () => repeated("[", 100) },
  { name: "lists-60.json", make: () => repeated("[],", 60, "[", "[]]") },
  { name: "lists-200k.json", make: () => repeated("[],", 0.2, "[", "[]]") },
  { name: "numbers-150.json", make: () => repeated("1,", 150, "[", "1]") },
  { name: "keys.json", make: () => Buffer.from(`{${numbered(3_000_000, (i) => `"key ${i}":${i},`)}"end":0}`) },
  { name: "long-key.json", make: () => repeated("k", 100, '{"', '":{"a":1,"b":{"c":2}}}') },
  { name: "lines.jsonl", make: () => repeated('{"a":1}\n', 100) },
  { name: "text-200.txt", make: () => repeated("Words of a sentence that never ends. ", 199) },
  { name: "lines-200.txt", make: () => repeated("\n\na", 199) },
  { name: "cyrillic-60.txt", make: () => repeated("Слова одного предложения.\n\n", 60) },
  { name: "words-15.txt", make: () => repeated("Words of a sentence that ends.\n\n", 15) },
  { name: "words-23.txt", make: () => repeated(`${"Words of a sentence that ends. ".repeat(10)}\n\n`, 23) },
  { name: "cyrillic-43.txt", make: () => repeated(`${"Слова одного предложения. ".repeat(10)}\n\n`, 43) },
  { name: "deep.xml", make: () => repeated("<a>", 60) },
  { name: "nodes.xml", make: () => repeated("<a/>", 150, "<r>", "</r>") },
  { name: "entities.xml", make: () => Buffer.from(entities) },
  { name: "attributes.xml", make: () => Buffer.from(`<a ${numbered(3_000_000, (i) => `a${i}="1" `)}/>`) },
  { name: "deep.html", make: () => repeated("<div>", 50) },
  { name: "tags.html", make: () => repeated("<b><i>", 50) },
  { name: "links.html", make: () => repeated("<p><a href=x>y</a>", 50) },
  { name: "table.html", make: () => repeated("<td>a", 50, "<table><tr>") },
  { name: "spans.html", make: () => repeated("<tr><td rowspan=65534 colspan=1000>a", 5, "<table>") },
  { name: "columns.csv", make: () => repeated("a,", 100) },
  { name: "rows.csv", make: () => repeated("a,b\n", 100) },
  { name: "wide-row.csv", make: () => Buffer.from(`${"a,".repeat(1_000_000)}\n${"b\n".repeat(1_000_000)}`) },
  {
    name: "bomb.docx",
    make: () => makeDocx(numbered(2_500_000, (i) => `<w:p><w:r><w:t>paragraph ${i} of many</w:t></w:r></w:p>`)),
  },
  { name: "zeros.docx", make: () => makeDocx("", { parts: { "word/a.xml": new Uint8Array(290 * MEGABYTE) } }) },
  {
    name: "shared.xlsx",
    make: () => makeXlsx([{ data: "" }], { strings: numbered(3_000_000, (i) => `<si><t>string ${i}</t></si>`) }),
  },
  {
    name: "sparse.xlsx",
    make: () =>
      makeXlsx([
        {
          data: numbered(1000, (i) => `<row r="${i * 1000 + 1}"><c r="XFD${i * 1000 + 1}"><v>1</v></c></row>`),
          after: '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>',
        },
      ]),
  },
  {
    name: "cells.xlsx",
    make: () =>
      makeXlsx([{ data: numbered(300_000, (i) => `<row r="${i + 1}">${`<c><v>${i}</v></c>`.repeat(10)}</row>`) }]),
  },
  {
    name: "shapes.pptx",
    make: () =>
      makePptx([
        numbered(400_000, (i) => `<p:sp><p:txBody><a:p><a:r><a:t>shape ${i}</a:t></a:r></a:p></p:txBody></p:sp>`),
      ]),
  },
  {
    name: "book.epub",
    make: () => makeEpub({ "a.xhtml": numbered(2_000_000, (i) => `<p>paragraph <b>number</b> ${i} of many</p>`) }),
  },
  {
    name: "paragraphs.odt",
    make: () =>
      makeOdf(
        "text",
        numbered(2_500_000, (i) => `<text:p>paragraph ${i} of many</text:p>`),
      ),
  },
  {
    name: "repeats.ods",
    make: () =>
      makeOdf(
        "spreadsheet",
        `<table:table table:name="a">${numbered(1000, () => '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384" office:value-type="string"><text:p>a</text:p></table:table-cell></table:table-row>')}</table:table>`,
      ),
  },
  {
    name: "entries.zip.docx",
    make: () =>
      zipSync(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`word/${i}.xml`, new Uint8Array()]))),
  },
  { name: "pages.pdf", make: () => pdfOfPages(2000) },
  {
    name: "letters.pdf",
    make: () => pdfWithContent(Buffer.from(`BT /F1 1 Tf ${"(a) Tj 1 1 Td ".repeat(4_000_000)} ET`)),
  },
  { name: "arrays.pdf", make: () => pdfWithContent(repeated("[", 60)) },
  {
    name: "image.pdf",
    make: () =>
      pdfWithContent(
        Buffer.from(`q 595 0 0 842 0 0 cm BI /W 40000 /H 40000 /BPC 8 /CS /G ID ${"\0".repeat(1000)} EI Q`),
      ),
  },
  { name: "groups.rtf", make: () => repeated("{", 100, "{\\rtf1 ") },
  { name: "paragraphs.rtf", make: () => repeated("a\\par ", 100, "{\\rtf1 ", "}") },
  { name: "deep.eml", make: () => Buffer.from(nestedMail(200_000)) },
  {
    name: "parts.eml",
    make: () =>
      repeated(
        "--b\r\nContent-Type: text/plain\r\n\r\na\r\n",
        60,
        'Subject: Parts\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n',
      ),
  },
  {
    name: "recipients.msg",
    make: () =>
      makeMsg({
        subject: "a",
        sender: "b",
        to: Array.from({ length: 2000 }, (_, i) => ({ name: `n${i}`, email: `e${i}` })),
        body: "a ".repeat(10_000_000),
      }),
  },
  {
    name: "cells.xls",
    make: () => {
      const row = (index: number) =>
        xlsCell.packedRow(
          index,
          0,
          Array.from({ length: 100 }, (_, column) => index + column),
        );
      return makeXls({ a: Array.from({ length: 60_000 }, (_, index) => row(index)) });
    },
  },
  { name: "quotes.md", make: () => repeated(">", 20) },
  { name: "lists.md", make: () => repeated("- a\n", 40) },
  { name: "deep-lists.md", make: () => Buffer.from(numbered(3000, (i) => `${" ".repeat(i * 2)}- a\n`)) },
  { name: "brackets.md", make: () => repeated("[", 10) },
  { name: "brackets-200k.md", make: () => repeated("[", 0.2) },
  { name: "emphasis-200k.md", make: () => repeated("*a_", 0.2) },
  { name: "backticks.md", make: () => Buffer.from(numbered(2000, (i) => `${"`".repeat(i)} a `)) },
  { name: "aliases.md", make: () => Buffer.from(`---\na0: &a0 [1,2,3]\n${aliases}---\ntext`) },
  { name: "matter.md", make: () => repeated("key: [a, b, c]\n", 50, "---\n", "---\ntext") },
  { name: "huge.png", make: () => hugePng(50_000, 50_000) },
  { name: "large.png", make: () => hugePng(7_000, 7_000) },
  {
    name: "cells.ipynb",
    make: () =>
      Buffer.from(
        makeNotebook(
          Array.from({ length: 600_000 }, (_, i) => ({ cell_type: "markdown", metadata: {}, source: [`line ${i}`] })),
        ),
      ),
  },
  { name: "cues.vtt", make: () => repeated("00:00:01.000 --> 00:00:02.000\na\n\n", 60, "WEBVTT\n\n") },
  { name: "groups.tex", make: () => repeated("{", 20, "\\documentclass{a}\\begin{document}") },
  { name: "macros.tex", make: () => repeated("\\textbf{", 10, "\\documentclass{a}\\begin{document}") },
  { name: "inline.org", make: () => repeated("*a /b [[", 10, "* a\n") },
  { name: "inline.adoc", make: () => repeated("*a _b `c ", 10, "= a\n\n") },
  { name: "inline.rst", make: () => repeated("*a **b `c ", 10, "a\n=\n\n") },
];
