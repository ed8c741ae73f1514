import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from "pdf-lib";
import { type Element, HANDBOOK, HANDBOOK_SUBTITLE, HANDBOOK_TITLE } from "./handbook.js";

const PAGE = { width: 595.28, height: 841.89 };
const MARGIN = { left: 72, right: 72, top: 84, bottom: 78 };
const WIDTH = PAGE.width - MARGIN.left - MARGIN.right;
const INK = rgb(0.13, 0.15, 0.18);
const SEA = rgb(0.09, 0.28, 0.42);
const GREY = rgb(0.45, 0.48, 0.52);
const BODY = { size: 10.8, leading: 15.4 };

const ROW_HEIGHT = 19;

type Table = Extract<Element, { kind: "table" }>;

interface Fonts {
  readonly body: PDFFont;
  readonly heading: PDFFont;
  readonly label: PDFFont;
}

/** Typesets the handbook; the same bytes on every run. */
export async function makePdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const made = new Date("2026-03-02T09:00:00Z");
  document.setTitle(`Skerrin Light Trust: ${HANDBOOK_TITLE}`);
  document.setAuthor("Skerrin Light Trust");
  document.setCreationDate(made);
  document.setModificationDate(made);
  const fonts = {
    body: await document.embedFont(StandardFonts.TimesRoman),
    heading: await document.embedFont(StandardFonts.HelveticaBold),
    label: await document.embedFont(StandardFonts.Helvetica),
  };
  const writer = new Writer(document, fonts);
  writer.title();
  for (const [index, element] of HANDBOOK.entries()) writer.element(element, HANDBOOK[index + 1]);
  writer.numberPages();
  return document.save();
}

class Writer {
  readonly #document: PDFDocument;
  readonly #fonts: Fonts;
  #page: PDFPage;
  /** Baseline of the line that was written last. */
  #y: number;

  constructor(document: PDFDocument, fonts: Fonts) {
    this.#document = document;
    this.#fonts = fonts;
    this.#page = document.addPage([PAGE.width, PAGE.height]);
    this.#y = PAGE.height - MARGIN.top;
  }

  title(): void {
    this.#y -= 18;
    this.#draw(HANDBOOK_TITLE, MARGIN.left, this.#fonts.heading, 28, SEA);
    this.#y -= 21;
    this.#draw(HANDBOOK_SUBTITLE, MARGIN.left, this.#fonts.label, 10.5, GREY);
    this.#y -= 14;
    this.#rule(1.2);
    this.#y -= 6;
  }

  element(element: Element, next: Element | undefined): void {
    switch (element.kind) {
      case "section":
        this.#room(84);
        this.#y -= 34;
        this.#draw(element.text, MARGIN.left, this.#fonts.heading, 16, SEA);
        break;
      case "topic":
        // A heading stays with the table or the lines below it.
        this.#room(next?.kind === "table" ? 25 + heightOf(next) : 70);
        this.#y -= 25;
        this.#draw(element.text, MARGIN.left, this.#fonts.heading, 11.8, INK);
        break;
      case "paragraph":
        this.#y -= 4;
        this.#lines(element.text, 0);
        break;
      case "list":
        for (const [index, item] of element.items.entries()) {
          this.#y -= 4;
          this.#lines(item, 18, `${index + 1}.`);
        }
        break;
      case "table":
        this.#table(element);
        break;
    }
  }

  numberPages(): void {
    const pages = this.#document.getPages();
    for (const [index, page] of pages.entries()) {
      this.#page = page;
      const number = `Page ${index + 1} of ${pages.length}`;
      const right = PAGE.width - MARGIN.right - this.#fonts.label.widthOfTextAtSize(number, 8.5);
      this.#y = PAGE.height - 48;
      this.#draw("Skerrin Light Trust", MARGIN.left, this.#fonts.label, 8.5, GREY);
      const title = this.#fonts.label.widthOfTextAtSize(HANDBOOK_TITLE, 8.5);
      this.#draw(HANDBOOK_TITLE, PAGE.width - MARGIN.right - title, this.#fonts.label, 8.5, GREY);
      this.#y = 42;
      this.#draw("Ninth edition, March 2026", MARGIN.left, this.#fonts.label, 8.5, GREY);
      this.#draw(number, right, this.#fonts.label, 8.5, GREY);
    }
  }

  #table(table: Table): void {
    const { caption, widths, header, rows } = table;
    this.#room(heightOf(table));
    this.#y -= 26;
    this.#draw(caption, MARGIN.left, this.#fonts.heading, 9.5, INK);
    this.#y -= 8;
    this.#rule(0.9);
    for (const [index, row] of [header, ...rows].entries()) {
      this.#y -= 13;
      let x = MARGIN.left + 4;
      for (const [column, cell] of row.entries()) {
        this.#draw(cell, x, index === 0 ? this.#fonts.heading : this.#fonts.label, 9.3, INK);
        x += WIDTH * widths[column]!;
      }
      this.#y -= ROW_HEIGHT - 13;
      this.#rule(index === 0 ? 0.9 : 0.3);
    }
    this.#y -= 6;
  }

  /** Sets a text in lines of the full width, or indented behind a marker. */
  #lines(text: string, indent: number, marker?: string): void {
    const lines = this.#wrap(text, WIDTH - indent);
    for (const [index, line] of lines.entries()) {
      // The last line never stands alone on a new page.
      this.#room(index === lines.length - 2 ? 2 * BODY.leading : BODY.leading);
      this.#y -= BODY.leading;
      if (index === 0 && marker !== undefined) this.#draw(marker, MARGIN.left, this.#fonts.body, BODY.size, INK);
      this.#draw(line, MARGIN.left + indent, this.#fonts.body, BODY.size, INK);
    }
  }

  #wrap(text: string, width: number): string[] {
    const lines: string[] = [];
    for (const word of text.split(" ")) {
      const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
      const fits = this.#fonts.body.widthOfTextAtSize(longer, BODY.size) <= width;
      if (fits && lines.length > 0) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }

  /** Begins a new page where less than `height` points are left. */
  #room(height: number): void {
    if (this.#y - height > MARGIN.bottom) return;
    this.#page = this.#document.addPage([PAGE.width, PAGE.height]);
    this.#y = PAGE.height - MARGIN.top + 14;
  }

  #draw(text: string, x: number, font: PDFFont, size: number, color: ReturnType<typeof rgb>): void {
    this.#page.drawText(text, { x, y: this.#y, size, font, color });
  }

  #rule(thickness: number): void {
    const end = { x: PAGE.width - MARGIN.right, y: this.#y };
    this.#page.drawLine({ start: { x: MARGIN.left, y: this.#y }, end, thickness, color: GREY });
  }
}

function heightOf(table: Table): number {
  return (table.rows.length + 1) * ROW_HEIGHT + 44;
}
