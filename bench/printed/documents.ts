import { type Random, seededRandom } from "../../test/campaigns/random.js";
import { type PrintedCell, type PrintedTable, plainRow, toPipeTable } from "./tables.js";

/** A part of a document, from which printers make pages, and `toMarkdown` what a parser has to read. */
export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3 | 4 | 5; readonly text: string }
  | { readonly kind: "contents"; readonly entries: readonly { readonly title: string; readonly page: number }[] }
  | {
      readonly kind: "paragraph";
      readonly text: string;
      readonly note: Note | null;
      /** The last words of the text, which are a link to the heading with these words. */
      readonly reference: string | null;
    }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly string[] }
  | PrintedTable
  | { readonly kind: "form"; readonly fields: readonly { readonly label: string; readonly value: string }[] };

/** A footnote, whose number stands raised at the end of its paragraph. */
interface Note {
  readonly number: number;
  readonly text: string;
}

export interface PrintedDocument {
  readonly name: string;
  readonly language: string;
  readonly isRightToLeft: boolean;
  readonly layout: Layout;
  /** Printed in the margin of each page; no part of the text. */
  readonly header: string;
  readonly blocks: readonly Block[];
}

export interface Layout {
  readonly columns: 1 | 2;
  readonly isSerif: boolean;
  readonly table: "ruled" | "rows" | "striped" | "plain";
  readonly isNumbered: boolean;
  readonly isJustified: boolean;
  readonly hasContents: boolean;
  readonly isTagged: boolean;
  /** Whether sections have four levels instead of two. */
  readonly isDeep: boolean;
  /** Whether the file has an outline of its headings. */
  readonly hasOutline: boolean;
  /** The sizes of headings by their level, from 1, in points. Sections of one size differ in number or outline. */
  readonly headingSizes: readonly number[];
}

/** What a printer can do. */
export interface PrinterAbilities {
  readonly hasAllScripts: boolean;
  readonly hasNotes: boolean;
  /** Whether a document without tags can have an outline. */
  readonly hasOutlines: boolean;
}

interface Script {
  readonly language: string;
  readonly isRightToLeft: boolean;
  readonly words: readonly string[];
}

const SCRIPTS: readonly Script[] = [
  {
    language: "en",
    isRightToLeft: false,
    words:
      "lamp keeper harbour tower signal storm vessel channel island winter evening morning report measure observation temperature pressure current sailor repair painting copper machine engine schedule inspection passage company council decision budget estimate journey station weather direction distance visibility equipment office traffic shoreline flow cliff affair".split(
        " ",
      ),
  },
  {
    language: "ru",
    isRightToLeft: false,
    words:
      "маяк берег башня сигнал буря корабль остров вечер утро отчёт измерение наблюдение температура давление течение моряк ремонт краска медь машина двигатель расписание проверка проход общество совет решение смета поездка станция погода направление расстояние видимость".split(
        " ",
      ),
  },
  {
    language: "he",
    isRightToLeft: true,
    words:
      "מגדלור חוף מגדל אות סערה ספינה תעלה אי חורף ערב בוקר דוח מדידה תצפית טמפרטורה לחץ זרם מלח תיקון צבע נחושת מכונה מנוע לוח בדיקה מעבר חברה מועצה החלטה תקציב הערכה מסע תחנה כיוון מרחק".split(
        " ",
      ),
  },
];

/**
 * Makes the document with a number: several pages with contents, sections, one or two columns, lists, tables over pages
 * and with merged cells, captions, footnotes and a form.
 */
export function printedDocument(number: number, seed: number, abilities: PrinterAbilities): PrintedDocument {
  const random = seededRandom(seed * 1000 + number);
  const nth = (every: number, of: number): boolean => number % every === of;
  const other = nth(6, 4) ? SCRIPTS[1]! : nth(12, 5) ? SCRIPTS[2]! : SCRIPTS[0]!;
  const script = abilities.hasAllScripts ? other : SCRIPTS[0]!;
  const isNumbered = nth(5, 0) || nth(5, 1);
  const isDeep = nth(3, 1) || nth(9, 3) || nth(9, 8);
  const isTagged = nth(7, 6);
  const hasOutline = number % 4 < 2 && (abilities.hasOutlines || isTagged);
  const areAlike = isDeep && (isNumbered || hasOutline);
  const layout: Layout = {
    columns: nth(4, 1) && !script.isRightToLeft ? 2 : 1,
    isSerif: nth(2, 0),
    table: random.pick(["ruled", "rows", "striped", "plain"] as const),
    isNumbered,
    isJustified: random.integer(0, 1) === 0,
    hasContents: random.integer(0, 2) === 0,
    isTagged,
    isDeep,
    hasOutline,
    headingSizes: areAlike ? [20, 12, 12, 12, 12] : isDeep ? [22, 18, 15, 13, 11.5] : [20, 14, 11.5],
  };
  const name = `printed-${String(number).padStart(2, "0")}`;
  return {
    name,
    language: script.language,
    isRightToLeft: script.isRightToLeft,
    layout,
    header: `The coast of the north, report ${name.slice(-2)}`,
    blocks: new Writer(script, layout, abilities.hasNotes, random).write(),
  };
}

/** Returns the name of a heading's destination. */
export function anchorOf(heading: string): string {
  return `h-${Buffer.from(heading).toString("hex")}`;
}

/** Returns the text of a paragraph before its reference. */
export function textBeforeReference({ text, reference }: Extract<Block, { kind: "paragraph" }>): string {
  return reference === null ? text : text.slice(0, -reference.length);
}

/** What a parser has to read. A footnote follows its paragraph. */
export function toMarkdown(blocks: readonly Block[]): string {
  return `${blocks.map(blockToMarkdown).join("\n\n")}\n`;
}

function blockToMarkdown(block: Block): string {
  switch (block.kind) {
    case "heading":
      return `${"#".repeat(block.level)} ${block.text}`;
    case "contents":
      return block.entries.map(({ title, page }) => `${title} ${page}`).join("\n\n");
    case "paragraph":
      return block.note
        ? `${block.text}${raised(block.note.number)}\n\n${block.note.number} ${block.note.text}`
        : block.text;
    case "list":
      return block.items.map((item, i) => `${block.isOrdered ? `${i + 1}.` : "-"} ${item}`).join("\n");
    case "table": {
      const table = toPipeTable(block);
      return block.caption === null ? table : `${block.caption}\n\n${table}`;
    }
    case "form":
      return block.fields.map(({ label, value }) => `${label}: ${value}`).join("\n\n");
  }
}

function raised(number: number): string {
  return String(number).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]!);
}

class Writer {
  readonly #script: Script;
  readonly #layout: Layout;
  readonly #hasNotes: boolean;
  readonly #random: Random;
  readonly #blocks: Block[] = [];
  #notes = 0;

  constructor(script: Script, layout: Layout, hasNotes: boolean, random: Random) {
    this.#script = script;
    this.#layout = layout;
    this.#hasNotes = hasNotes;
    this.#random = random;
  }

  write(): readonly Block[] {
    this.#blocks.push({ kind: "heading", level: 1, text: this.#phrase(4) });
    const sections = Array.from({ length: 5 }, (_, i) => this.#numbered(`${i + 1}`, this.#phrase(3)));
    if (this.#layout.hasContents)
      this.#blocks.push({ kind: "contents", entries: sections.map((title, i) => ({ title, page: i + 2 })) });
    for (const [i, section] of sections.entries()) this.#addSection(section, i);
    return this.#blocks;
  }

  #addSection(title: string, index: number): void {
    this.#blocks.push({ kind: "heading", level: 2, text: title });
    this.#addParagraphs(2);
    for (let part = 1; part <= 2; part++) {
      const text = this.#numbered(`${index + 1}.${part}`, this.#phrase(3));
      this.#blocks.push({ kind: "heading", level: 3, text });
      this.#addParagraphs(2);
      if (this.#layout.isDeep) this.#addDeepSections(`${index + 1}.${part}`);
      if (part === 1) this.#addList(index % 2 === 0);
    }
    // One table is longer than a page.
    if (this.#layout.columns === 1 && index % 2 === 1) this.#addTable(index, index === 1 ? 45 : 8);
    if (this.#layout.columns === 1 && index % 2 === 0)
      this.#addMergedTable(index, { hasMergedHeader: index !== 2, hasMergedLabels: index !== 0 });
    this.#addParagraphs(1);
    if (index === 4 && this.#layout.columns === 1) this.#addForm();
  }

  #addDeepSections(number: string): void {
    for (const [level, own] of [
      [4, `${number}.1`],
      [5, `${number}.1.1`],
      [5, `${number}.1.2`],
      [4, `${number}.2`],
    ] as const) {
      this.#blocks.push({ kind: "heading", level, text: this.#numbered(own, this.#phrase(3)) });
      this.#addParagraphs(1);
      this.#addReference();
    }
  }

  /** Adds a paragraph that refers to a heading before it. */
  #addReference(): void {
    const headings = this.#blocks.filter((block) => block.kind === "heading");
    const reference = this.#random.pick(headings).text;
    this.#blocks.push({ kind: "paragraph", text: `${this.#sentence()} → ${reference}`, note: null, reference });
  }

  #addParagraphs(count: number): void {
    for (let i = 0; i < count; i++) {
      const text = Array.from({ length: this.#random.integer(3, 6) }, () => this.#sentence()).join(" ");
      const hasNote = this.#hasNotes && this.#random.integer(0, 5) === 0;
      this.#blocks.push({
        kind: "paragraph",
        text,
        note: hasNote ? { number: ++this.#notes, text: this.#sentence() } : null,
        reference: null,
      });
    }
  }

  #addList(isOrdered: boolean): void {
    const items = Array.from({ length: 4 }, () => this.#phrase(this.#random.integer(4, 9)));
    this.#blocks.push({ kind: "list", isOrdered, items });
  }

  #addTable(number: number, count: number): void {
    this.#blocks.push({
      kind: "table",
      caption: this.#tableCaption(number),
      headerRows: [plainRow(this.#columnNames())],
      groups: Array.from({ length: count }, () => [plainRow([this.#phrase(2), ...this.#values()])]),
    });
  }

  /** Adds a table with a name over two columns, or labels of two or three rows. */
  #addMergedTable(
    number: number,
    { hasMergedHeader, hasMergedLabels }: { readonly hasMergedHeader: boolean; readonly hasMergedLabels: boolean },
  ): void {
    const year = this.#random.integer(1990, 2020);
    const subtitles = plainRow(
      this.#random.integer(0, 1) === 0
        ? [String(year), String(year + 1)]
        : [this.#capital(this.#word()), this.#capital(this.#word())],
    );
    const [label, , , last] = this.#columnNames().map((text): PrintedCell => ({ text, rows: 2, columns: 1 }));
    const title = { text: this.#phrase(this.#random.integer(1, 3)), rows: 1, columns: 2 };
    const groups = Array.from({ length: hasMergedLabels ? 4 : 6 }, () => {
      const rows = hasMergedLabels ? this.#random.integer(1, 3) : 1;
      const label = { text: this.#phrase(2), rows, columns: 1 };
      return Array.from({ length: rows }, (_, row) => [...(row === 0 ? [label] : []), ...plainRow(this.#values())]);
    });
    this.#blocks.push({
      kind: "table",
      caption: this.#tableCaption(number),
      headerRows: hasMergedHeader ? [[label!, title, last!], subtitles] : [plainRow(this.#columnNames())],
      groups,
    });
  }

  #tableCaption(number: number): string | null {
    return this.#script.language === "en" ? `Table ${number}: ${this.#phrase(4)}` : null;
  }

  #columnNames(): string[] {
    return ["A", "B", "C", "D"].map(() => this.#capital(this.#word()));
  }

  #values(): string[] {
    return [
      String(this.#random.integer(10, 9999)),
      `${this.#random.integer(1, 99)}.${this.#random.integer(10, 99)}`,
      this.#word(),
    ];
  }

  #addForm(): void {
    const fields = Array.from({ length: 4 }, () => ({
      label: this.#phrase(this.#random.integer(1, 2)),
      value: this.#phrase(this.#random.integer(1, 3)),
    }));
    this.#blocks.push({ kind: "form", fields });
  }

  #word(): string {
    return this.#random.pick(this.#script.words);
  }

  #phrase(words: number): string {
    return this.#capital(Array.from({ length: words }, () => this.#word()).join(" "));
  }

  #sentence(): string {
    return `${this.#phrase(this.#random.integer(6, 14))}.`;
  }

  #capital(text: string): string {
    return text[0]!.toUpperCase() + text.slice(1);
  }

  #numbered(number: string, title: string): string {
    return this.#layout.isNumbered ? `${number} ${title}` : title;
  }
}
