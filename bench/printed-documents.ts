import { type Random, seededRandom } from "../test/campaigns/random.js";

/** A document to be printed to PDF, and what a parser has to read from it. */
export interface PrintedDocument {
  readonly name: string;
  readonly html: string;
  readonly markdown: string;
  /** Printed in the margin of each page; no part of the text. */
  readonly header: string;
  readonly isTagged: boolean;
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
      "lamp keeper harbour tower signal storm vessel channel island winter evening morning report measure observation temperature pressure current sailor repair painting copper machine engine schedule inspection passage company council decision budget estimate journey station weather direction distance visibility equipment".split(
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

interface Layout {
  readonly columns: 1 | 2;
  readonly font: string;
  readonly table: "ruled" | "rows" | "striped" | "plain";
  readonly isNumbered: boolean;
  readonly isJustified: boolean;
  readonly hasContents: boolean;
  readonly isTagged: boolean;
}

/** Makes documents of several pages: contents, sections, one or two columns, lists, tables over pages, captions. */
export function printedDocuments(count: number, seed: number): PrintedDocument[] {
  return Array.from({ length: count }, (_, i) => {
    const random = seededRandom(seed * 1000 + i);
    const script = i % 6 === 4 ? SCRIPTS[1]! : i % 12 === 5 ? SCRIPTS[2]! : SCRIPTS[0]!;
    const layout: Layout = {
      columns: i % 3 === 1 && !script.isRightToLeft ? 2 : 1,
      font: ["Liberation Serif", "Liberation Sans", "DejaVu Sans"][script.isRightToLeft ? 2 : i % 2]!,
      table: (["ruled", "rows", "striped", "plain"] as const)[i % 4]!,
      isNumbered: i % 5 < 2,
      isJustified: i % 2 === 0,
      hasContents: i % 3 === 0,
      isTagged: i % 7 === 6,
    };
    return new Writer(`printed-${String(i).padStart(2, "0")}`, script, layout, random).write();
  });
}

class Writer {
  readonly #name: string;
  readonly #script: Script;
  readonly #layout: Layout;
  readonly #random: Random;
  readonly #html: string[] = [];
  readonly #markdown: string[] = [];

  constructor(name: string, script: Script, layout: Layout, random: Random) {
    this.#name = name;
    this.#script = script;
    this.#layout = layout;
    this.#random = random;
  }

  write(): PrintedDocument {
    const { columns, hasContents } = this.#layout;
    const title = this.#phrase(4);
    this.#add(`<h1>${title}</h1>`, `# ${title}`);
    const sections = Array.from({ length: 5 }, (_, i) => this.#numbered(`${i + 1}`, this.#phrase(3)));
    if (hasContents) this.#addContents(sections);
    if (columns === 2) this.#html.push('<div class="columns">');
    for (const [i, section] of sections.entries()) this.#addSection(section, i);
    if (columns === 2) this.#html.push("</div>");
    const { language, isRightToLeft } = this.#script;
    const direction = isRightToLeft ? ' dir="rtl"' : "";
    return {
      name: this.#name,
      html: `<!doctype html><html lang="${language}"${direction}><meta charset="utf-8"><style>${this.#style()}</style><body>${this.#html.join("\n")}</body></html>`,
      markdown: `${this.#markdown.join("\n\n")}\n`,
      header: `The coast of the north, report ${this.#name.slice(-2)}`,
      isTagged: this.#layout.isTagged,
    };
  }

  #addSection(title: string, index: number): void {
    this.#add(`<h2>${title}</h2>`, `## ${title}`);
    this.#addParagraphs(2);
    for (let part = 1; part <= 2; part++) {
      const subtitle = this.#numbered(`${index + 1}.${part}`, this.#phrase(3));
      this.#add(`<h3>${subtitle}</h3>`, `### ${subtitle}`);
      this.#addParagraphs(2);
      if (part === 1) this.#addList(index % 2 === 0);
    }
    // One table is longer than a page.
    if (this.#layout.columns === 1 && index % 2 === 1) this.#addTable(index, index === 1 ? 45 : 8);
    this.#addParagraphs(1);
  }

  #addContents(sections: readonly string[]): void {
    for (const [i, section] of sections.entries())
      this.#add(`<div class="entry"><span>${section}</span><i></i><span>${i + 2}</span></div>`, `${section} ${i + 2}`);
  }

  #addParagraphs(count: number): void {
    for (let i = 0; i < count; i++) {
      const text = Array.from({ length: this.#random.integer(3, 6) }, () => this.#sentence()).join(" ");
      this.#add(`<p>${text}</p>`, text);
    }
  }

  #addList(isOrdered: boolean): void {
    const items = Array.from({ length: 4 }, () => this.#phrase(this.#random.integer(4, 9)));
    const tag = isOrdered ? "ol" : "ul";
    this.#add(
      `<${tag}>${items.map((item) => `<li>${item}</li>`).join("")}</${tag}>`,
      items.map((item, i) => `${isOrdered ? `${i + 1}.` : "-"} ${item}`).join("\n"),
    );
  }

  #addTable(number: number, count: number): void {
    const caption = this.#script.language === "en" ? `Table ${number}: ${this.#phrase(4)}` : null;
    if (caption !== null) this.#add(`<p class="caption">${caption}</p>`, caption);
    const header = ["A", "B", "C", "D"].map(() => this.#capital(this.#word()));
    const rows = Array.from({ length: count }, () => [
      this.#phrase(2),
      String(this.#random.integer(10, 9999)),
      `${this.#random.integer(1, 99)}.${this.#random.integer(10, 99)}`,
      this.#word(),
    ]);
    const row = (cells: readonly string[], tag: string): string =>
      `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
    this.#add(
      `<table><thead>${row(header, "th")}</thead><tbody>${rows.map((cells) => row(cells, "td")).join("")}</tbody></table>`,
      [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n"),
    );
  }

  #add(html: string, markdown: string): void {
    this.#html.push(html);
    this.#markdown.push(markdown);
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

  #style(): string {
    const { columns, font, table, isJustified } = this.#layout;
    const borders = {
      ruled: "th, td { border: 1px solid #333 }",
      rows: "tr { border-bottom: 1px solid #333 } thead tr { border-top: 2px solid #333 }",
      striped: "tr:nth-child(even) td { background: #e4e4e4 } th { background: #bbb }",
      plain: "",
    }[table];
    return `
      body { font: 10.5pt "${font}"; ${isJustified ? "text-align: justify;" : ""} }
      .columns { columns: ${columns}; column-gap: 9mm }
      h1 { font-size: 20pt; text-align: start } h2 { font-size: 14pt; text-align: start } h3 { font-size: 11.5pt; text-align: start }
      table { border-collapse: collapse; width: 100% } th, td { padding: 3px 8px; text-align: start } ${borders}
      .caption { font-size: 9pt } .entry { display: flex } .entry i { flex: 1; border-bottom: 1px dotted #333; margin: 0 4px }`;
  }
}
