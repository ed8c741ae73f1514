import type { Block } from "../../interfaces/block.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { dedent, indentOf, LineReader } from "../shared/markup/line-reader.js";
import { parseRstDirective, type RstDirective } from "./directive.js";
import { findRstNames, type RstNames, rstToMarkdown } from "./inline.js";
import { parseGridTable, parseSimpleTable } from "./tables.js";

/** Matches a line of one repeated punctuation character: the adornment of a title, or a transition. */
const RULE_PATTERN = /^([!-/:-@[-`{-~])\1*\s*$/;
const ITEM_PATTERN = /^(?:([-*+•])|(?:\(?(\d{1,9}|#|[a-zA-Z]|[ivxlcIVXLC]{1,7})[.)]))(?:\s+(?=\S)|$)/;
const ADMONITION_PATTERN = /^(?:attention|caution|danger|error|hint|important|note|tip|warning|seealso|todo)$/;
const DEFINITION_PATTERN = /^(?:\w+:)?(?:function|class|method|attribute|data|exception)$/;
const VERSION_CHANGE_PATTERN = /^(?:deprecated|versionadded|versionchanged)$/;
const CODE_PATTERN = /^(?:code|code-block|sourcecode|parsed-literal|prompt|ipython)$/;
/** Names of directives without readable content. */
const SKIPPED_DIRECTIVES = new Set(
  (
    "contents toctree raw index meta highlight default-role role currentmodule module sectnum title target-notes " +
    "tabularcolumns replace"
  ).split(" "),
);
/** The maximum depth of quotes and lists. Deeper text is kept as it is. */
const MAX_DEPTH = 50;

/**
 * Adds a reStructuredText document to a block list, line by line. Collects its metadata and the files that it includes.
 */
export class RstReader {
  readonly metadata: Record<string, string> = {};
  /** Paths of included files, which are not read. */
  readonly includes: string[] = [];
  readonly #list: BlockList;
  readonly #lines: readonly string[];
  readonly #names: RstNames;
  readonly #addsImages: boolean;
  /** The adornments of titles, in order of appearance: the index of an adornment gives the heading level. */
  readonly #adornments: string[] = [];

  constructor(list: BlockList, text: string, addsImages: boolean) {
    this.#list = list;
    this.#names = findRstNames(text);
    this.#lines = text.split("\n").map((line) => line.replaceAll("\t", "        ").trimEnd());
    this.#addsImages = addsImages;
  }

  read(): void {
    this.#readBody(this.#lines, 0);
  }

  #readBody(lines: readonly string[], depth: number, listLevel = 1) {
    if (depth > MAX_DEPTH) return this.#list.add("paragraph", dedent(lines).join("\n"));
    const reader = new LineReader(lines);
    for (reader.skipBlank(); !reader.isDone; reader.skipBlank()) this.#readBlock(reader, depth, listLevel);
  }

  #readBlock(reader: LineReader, depth: number, listLevel: number): void {
    const line = reader.peek();
    if (depth === 0 && this.#readSection(reader)) return;
    if (/^\s/.test(line)) this.#readBody(dedent(reader.takeIndented(1)), depth + 1, listLevel);
    else if (/^\.\.(?:\s|$)/.test(line)) this.#readExplicitMarkup(reader, depth);
    else if (/^\+[-=+]+\+$/.test(line)) this.#addTable(parseGridTable(reader.takeWhile((row) => /^[+|]/.test(row))));
    else if (/^=+(?: +=+)+$/.test(line)) this.#readSimpleTable(reader);
    else if (/^(?:\|\s|\|$)/.test(line)) this.#readLineBlock(reader);
    else if (/^>>> /.test(line))
      this.#list.add("code", reader.takeWhile((row) => row !== "").join("\n"), { language: "python" });
    else if (/^:[^:\s][^:]{0,100}:(?:\s|$)/.test(line)) this.#readField(reader, depth);
    else if (/^__ /.test(line) || RULE_PATTERN.test(line)) reader.next();
    else if (ITEM_PATTERN.test(line)) this.#readItem(reader, depth, listLevel);
    else this.#readParagraph(reader, depth);
  }

  /** Reads a title underlined with punctuation, with or without an overline. Returns false if there is none. */
  #readSection(reader: LineReader): boolean {
    const [first, second, third] = [reader.peek(), reader.peek(1), reader.peek(2)];
    const overline = RULE_PATTERN.exec(first);
    if (overline !== null && first.length > 1 && second.trim() !== "" && third === first) {
      for (let i = 0; i < 3; i++) reader.next();
      return this.#addHeading(second.trim(), `${overline[1]}${overline[1]}`);
    }
    const underline = RULE_PATTERN.exec(second);
    if (underline === null || overline !== null || /^\s/.test(first) || second.length < Math.min(4, first.length))
      return false;
    if (second.length < first.length && second.length < 4) return false;
    reader.next();
    reader.next();
    return this.#addHeading(first, underline[1]!);
  }

  #addHeading(title: string, adornment: string): true {
    if (!this.#adornments.includes(adornment)) this.#adornments.push(adornment);
    this.#list.heading(this.#adornments.indexOf(adornment) + 1, this.#toMarkdown(title));
    return true;
  }

  #readExplicitMarkup(reader: LineReader, depth: number) {
    const first = reader.next();
    const indented = reader.takeIndented(1);
    const note = /^\.\. \[([#*]?[\w-]*)\](?:\s+(.*))?$/.exec(first);
    if (note !== null) {
      const text = [note[2] ?? "", ...dedent(indented)].join("\n").trim();
      return this.#list.add("note", `[^${note[1]}]: ${this.#toMarkdown(text)}`);
    }
    const directive = parseRstDirective(first, indented);
    if (directive !== null) this.#addDirective(directive, depth);
  }

  #addDirective(directive: RstDirective, depth: number): void {
    const { name, argument, options, body } = directive;
    const text = body.join("\n").trimEnd();
    if (SKIPPED_DIRECTIVES.has(name)) return;
    if (name === "include" || name === "literalinclude") this.includes.push(argument);
    else if (CODE_PATTERN.test(name)) this.#list.add("code", text, argument === "" ? {} : { language: argument });
    else if (name === "math") this.#list.add("formula", `$$\n${[argument, text].join("\n").trim()}\n$$`);
    else if (name === "image" || name === "figure") {
      if (this.#addsImages) this.#list.add("image", options.get("alt") ?? "");
      if (name === "figure") this.#list.add("caption", this.#toMarkdown(text));
    } else if (name === "csv-table") this.#addCsvTable(directive);
    else if (name === "list-table") this.#addListTable(directive);
    else {
      const isAdmonition = ADMONITION_PATTERN.test(name);
      const label = name[0]!.toUpperCase() + name.slice(1);
      if (VERSION_CHANGE_PATTERN.test(name)) this.#list.add("paragraph", `${label} ${argument}:`);
      else if (isAdmonition) this.#list.add("paragraph", `${label}:`);
      else if (name === "table") this.#list.add("caption", this.#toMarkdown(argument));
      else if (DEFINITION_PATTERN.test(name)) this.#list.add("paragraph", `\`${argument}\``);
      else this.#list.add("paragraph", this.#toMarkdown(argument));
      this.#readBody(isAdmonition && argument !== "" ? [argument, ...body] : body, depth + 1);
    }
  }

  #addCsvTable({ argument, options, body }: RstDirective): void {
    this.#list.add("caption", this.#toMarkdown(argument));
    const rows = body.filter((line) => line.trim() !== "").map((line) => this.#splitCsvRow(line));
    const header = options.get("header");
    const headerRowCount = Number(options.get("header-rows") ?? 0);
    if (header !== undefined) this.#list.table(this.#splitCsvRow(header), rows);
    else this.#list.table(headerRowCount > 0 ? (rows[0] ?? []) : [], headerRowCount > 0 ? rows.slice(1) : rows);
  }

  #splitCsvRow(line: string): string[] {
    return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      this.#toMarkdown((quoted?.replaceAll('""', '"') ?? plain ?? "").trim()),
    );
  }

  /** Adds a table from a list: each row is an item `* -`, and each of its cells an item `-`. */
  #addListTable({ argument, options, body }: RstDirective): void {
    this.#list.add("caption", this.#toMarkdown(argument));
    const rows: string[][] = [];
    for (const line of body) {
      const cell = /^(\* )?\s*-(?:\s+(.*))?$/.exec(line);
      if (cell?.[1] !== undefined) rows.push([]);
      if (cell !== null) rows.at(-1)?.push(cell[2] ?? "");
      else if (rows.at(-1)?.length) rows.at(-1)![rows.at(-1)!.length - 1] += ` ${line.trim()}`;
    }
    const cells = rows.map((row) => row.map((cell) => this.#toMarkdown(cell.trim())));
    const hasHeader = Number(options.get("header-rows") ?? 0) > 0;
    this.#list.table(hasHeader ? (cells[0] ?? []) : [], hasHeader ? cells.slice(1) : cells);
  }

  #addTable({ header, rows }: NonNullable<Block["table"]>): void {
    const convert = (row: readonly string[]): string[] => row.map((cell) => this.#toMarkdown(cell));
    this.#list.table(convert(header), rows.map(convert));
  }

  #readSimpleTable(reader: LineReader): void {
    const lines = [reader.next()];
    // The table ends with a rule followed by a blank line.
    while (!reader.isDone) {
      const line = reader.next();
      lines.push(line);
      if (/^=[= ]*$/.test(line) && reader.peek().trim() === "") break;
    }
    this.#addTable(parseSimpleTable(lines));
  }

  #readLineBlock(reader: LineReader): void {
    const lines = reader.takeWhile((line) => /^(?:\|\s|\|$|\s+\S)/.test(line));
    this.#list.add("paragraph", this.#toMarkdown(lines.map((line) => line.replace(/^\| ?/, "")).join("\n")));
  }

  /** Reads a field: metadata before the first paragraph, otherwise text. */
  #readField(reader: LineReader, depth: number): void {
    const [, name, value] = /^:([^:]{1,101}):\s*(.*)$/.exec(reader.next())!;
    const text = [value!, ...dedent(reader.takeIndented(1))].join("\n").trim();
    if (depth === 0 && this.#list.blocks.every((block) => block.kind === "heading")) {
      if (/^(?:author|authors|date|version|revision|copyright|status|organization)$/i.test(name!) && text !== "")
        this.metadata[name!.toLowerCase()] = text;
    } else this.#list.add("paragraph", this.#toMarkdown(`${name}: ${text}`));
  }

  #readItem(reader: LineReader, depth: number, level: number): void {
    const line = reader.next();
    const match = ITEM_PATTERN.exec(line)!;
    const markerWidth = match[0].length;
    const inner = reader.takeIndented(Math.min(markerWidth, Math.max(1, indentOf(reader.peek()))));
    const item = new LineReader([line.slice(markerWidth), ...dedent(inner.slice(0, 1)), ...inner.slice(1)]);
    const leadingLines = item.takeWhile(
      (row) => row.trim() !== "" && !(ITEM_PATTERN.test(row) && row !== line.slice(markerWidth)),
    );
    const marker = match[2] === undefined ? {} : { marker: `${match[2]}.`.replace("#.", "1.") };
    const text = leadingLines.map((row) => row.trim()).join(" ");
    const isLiteral = text.endsWith("::");
    this.#list.add("list_item", this.#toMarkdown(isLiteral ? text.slice(0, -1) : text), {
      level: Math.min(level, 9),
      ...marker,
    });
    item.skipBlank();
    if (isLiteral) this.#readLiteral(item);
    this.#readBody(
      item.takeWhile(() => true),
      depth + 1,
      level + 1,
    );
  }

  #readParagraph(reader: LineReader, depth: number) {
    const first = reader.next();
    const next = reader.peek();
    // The paragraph is a term: its definition is indented on the next lines.
    if (/^\s+\S/.test(next) && !first.endsWith("::")) {
      this.#list.add("paragraph", this.#toMarkdown(first));
      return this.#readBody(dedent(reader.takeIndented(1)), depth + 1);
    }
    const lines = [first, ...reader.takeWhile((line) => line.trim() !== "" && !/^(?:\.\. |\s{8,}\S)/.test(line))];
    const text = lines.map((line) => line.trim()).join("\n");
    if (!text.endsWith("::")) return this.#list.add("paragraph", this.#toMarkdown(text));
    this.#list.add(
      "paragraph",
      this.#toMarkdown(text.replace(/\s*::$/, (end) => (end === "::" && text !== "::" ? ":" : ""))),
    );
    reader.skipBlank();
    this.#readLiteral(reader);
  }

  #readLiteral(reader: LineReader): void {
    if (!/^\s/.test(reader.peek())) return;
    this.#list.add("code", dedent(reader.takeIndented(1)).join("\n"));
  }

  #toMarkdown(text: string): string {
    return rstToMarkdown(text, this.#names);
  }
}
