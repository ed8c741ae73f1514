import CFB from "cfb";
import { strToU8, zipSync } from "fflate";
import { PDFDocument, type PDFFont, StandardFonts } from "pdf-lib";
import type { SourceFile } from "../../src/interfaces/parser.js";

/** A file under a name, from text or bytes. */
export function sourceFile(
  name: string | null,
  content: string | Uint8Array,
  mimeType: string | null = null,
): SourceFile {
  return { name, mimeType, bytes: typeof content === "string" ? new TextEncoder().encode(content) : content };
}

/** One piece of text on a PDF page; `y` is measured from the top. */
export interface PdfText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly bold?: boolean;
}

export interface PdfSettings {
  readonly title?: string;
  readonly author?: string;
}

/** A PDF of A4 pages with text at given places. */
export async function makePdf(pages: readonly (readonly PdfText[])[], settings: PdfSettings = {}): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const plain = await document.embedFont(StandardFonts.Helvetica);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  if (settings.title !== undefined) document.setTitle(settings.title);
  if (settings.author !== undefined) document.setAuthor(settings.author);
  for (const texts of pages) {
    const page = document.addPage([595, 842]);
    for (const { text, x, y, size = 10, bold: isBold } of texts) {
      const font: PDFFont = isBold === true ? bold : plain;
      page.drawText(text, { x, y: 842 - y, size, font });
    }
  }
  return document.save({ useObjectStreams: false });
}

/** A PDF that asks for a password nobody has. */
export async function makeEncryptedPdf(): Promise<Uint8Array> {
  const bytes = await makePdf([[{ text: "Secret", x: 50, y: 50 }]]);
  const key = "5a".repeat(32);
  const encryption = `/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >>`;
  const pdf = Buffer.from(bytes)
    .toString("latin1")
    .replace(/trailer\s*<</, (start) => `${start} ${encryption}`);
  return Buffer.from(pdf, "latin1");
}

/** Lines of text below each other, as a paragraph of a PDF. */
export function pdfLines(lines: readonly string[], x: number, y: number, size = 10): PdfText[] {
  return lines.map((text, i) => ({ text, x, y: y + i * size * 1.2, size }));
}

const WORD =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"';
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A paragraph of a Word document, in one of its styles. */
export function wordParagraph(text: string, style?: string): string {
  const properties = style === undefined ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

export function wordTable(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`;
  return `<w:tbl>${rows.map((row) => `<w:tr>${row.map(cell).join("")}</w:tr>`).join("")}</w:tbl>`;
}

/** A picture that a Word document links to instead of holding it. */
export function wordLinkedPicture(description: string): string {
  return `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="${description}"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:link="rIdPicture"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
}

export interface DocxSettings {
  readonly title?: string;
  readonly author?: string;
  /** Where the linked picture is, as an external target. */
  readonly pictureTarget?: string;
  /** Further parts by name. */
  readonly parts?: Readonly<Record<string, string | Uint8Array>>;
}

/** A Word document with the given body. */
export function makeDocx(body: string, settings: DocxSettings = {}): Uint8Array {
  const picture =
    settings.pictureTarget === undefined
      ? ""
      : `<Relationship Id="rIdPicture" Type="${OFFICE}/image" Target="${settings.pictureTarget}" TargetMode="External"/>`;
  const styles = [1, 2, 3].map(
    (level) => `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`,
  );
  const parts: Record<string, string | Uint8Array> = {
    "[Content_Types].xml":
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/_rels/document.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rIdStyles" Type="${OFFICE}/styles" Target="styles.xml"/>${picture}</Relationships>`,
    "word/styles.xml": `<w:styles ${WORD}>${styles.join("")}</w:styles>`,
    "word/document.xml": `<?xml version="1.0" encoding="UTF-8"?><w:document ${WORD}><w:body>${body}</w:body></w:document>`,
    "docProps/core.xml": `<cp:coreProperties xmlns:cp="x" xmlns:dc="y"><dc:title>${settings.title ?? ""}</dc:title><dc:creator>${settings.author ?? ""}</dc:creator></cp:coreProperties>`,
    ...settings.parts,
  };
  return zipSync(
    Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [name, typeof part === "string" ? strToU8(part) : part]),
    ),
  );
}

/** The head and a stream name of the container that Office puts encrypted documents into. */
export function makeEncryptedOffice(): Uint8Array {
  const bytes = Buffer.alloc(4096);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(bytes);
  Buffer.from("EncryptedPackage", "utf16le").copy(bytes, 1024);
  return bytes;
}

/** An Outlook message; texts are kept in UTF-16, as Outlook does. */
export function makeMsg(message: {
  readonly subject: string;
  readonly sender: string;
  readonly to: readonly { readonly name: string; readonly email: string }[];
  readonly body?: string;
  /** The body as Outlook keeps RTF. */
  readonly compressedRtf?: Uint8Array;
  readonly attachments?: readonly { readonly name: string; readonly text: string }[];
}): Uint8Array {
  const container = CFB.utils.cfb_new();
  const add = (path: string, content: Uint8Array) => CFB.utils.cfb_add(container, path, Buffer.from(content));
  const text = (folder: string, property: string, value: string) =>
    add(`${folder}/__substg1.0_${property}001F`, Buffer.from(value, "utf16le"));
  const part = (kind: string, index: number) => `/__${kind}_version1.0_#${index.toString(16).padStart(8, "0")}`;
  add("/__properties_version1.0", Buffer.alloc(32));
  add("/__nameid_version1.0/__substg1.0_00020102", Buffer.alloc(0));
  text("", "0037", message.subject);
  text("", "0C1A", message.sender);
  if (message.body !== undefined) text("", "1000", message.body);
  if (message.compressedRtf !== undefined) add("/__substg1.0_10090102", message.compressedRtf);
  for (const [index, { name, email }] of message.to.entries()) {
    add(`${part("recip", index)}/__properties_version1.0`, Buffer.alloc(8));
    text(part("recip", index), "3001", name);
    text(part("recip", index), "3003", email);
  }
  for (const [index, attachment] of (message.attachments ?? []).entries()) {
    add(`${part("attach", index)}/__properties_version1.0`, Buffer.alloc(8));
    text(part("attach", index), "3707", attachment.name);
    add(`${part("attach", index)}/__substg1.0_37010102`, Buffer.from(attachment.text));
  }
  return new Uint8Array(CFB.write(container, { type: "buffer" }) as Buffer);
}

/** A Jupyter notebook of the given cells. */
export function makeNotebook(cells: readonly Readonly<Record<string, unknown>>[]): string {
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: { language_info: { name: "python" } }, cells });
}
