import type { Block } from "../../interfaces/block.js";
import type { BlockList } from "../shared/blocks/block-list.js";
import { dedent, indentOf, LineReader } from "../shared/markup/line-reader.js";
import { type RstDirective, rstDirective } from "./directive.js";
import { type RstNames, rstInline, rstNames } from "./inline.js";
import { gridTable, simpleTable } from "./tables.js";

const RULE = /^([!-/:-@[-`{-~])\1*\s*$/;
const ITEM = /^(?:([-*+•])|(?:\(?(\d{1,9}|#|[a-zA-Z]|[ivxlcIVXLC]{1,7})[.)]))(?:\s+(?=\S)|$)/;
const ADMONITION = /^(?:attention|caution|danger|error|hint|important|note|tip|warning|seealso|todo)$/;
const DEFINITION = /^(?:\w+:)?(?:function|class|method|attribute|data|exception)$/;
const VERSION_CHANGE = /^(?:deprecated|versionadded|versionchanged)$/;
const CODE = /^(?:code|code-block|sourcecode|parsed-literal|prompt|ipython)$/;
/** Directives without readable content. */
const SKIPPED = new Set(
  (
    "contents toctree raw index meta highlight default-role role currentmodule module sectnum title target-notes " +
    "tabularcolumns replace"
  ).split(" "),
);
/** Deeper quotes and lists are kept as text. */
const MAX_DEPTH = 50;

/** Reads a reStructuredText document line by line. */
export class RstReader {
  readonly metadata: Record<string, string> = {};
  /** Included files, which are not read. */
  readonly includes: string[] = [];
  readonly #list: BlockList;
  readonly #lines: readonly string[];
  readonly #names: RstNames;
  readonly #addsImages: boolean;
  /** Title decorations in order of appearance, which defines their level. */
  readonly #styles: string[] = [];

  constructor(list: BlockList, text: string, images: boolean) {
    this.#list = list;
    this.#names = rstNames(text);
    this.#lines = text.split("\n").map((line) => line.replaceAll("\t", "        ").trimEnd());
    this.#addsImages = images;
  }

  read(): void {
    this.#body(this.#lines, 0);
  }

  #body(lines: readonly string[], depth: number, listLevel = 1) {
    if (depth > MAX_DEPTH) return this.#list.add("paragraph", dedent(lines).join("\n"));
    const reader = new LineReader(lines);
    for (reader.skipBlank(); !reader.isDone; reader.skipBlank()) this.#block(reader, depth, listLevel);
  }

  #block(reader: LineReader, depth: number, listLevel: number): void {
    const line = reader.peek();
    if (depth === 0 && this.#section(reader)) return;
    if (/^\s/.test(line)) this.#body(dedent(reader.takeIndented(1)), depth + 1, listLevel);
    else if (/^\.\.(?:\s|$)/.test(line)) this.#explicit(reader, depth);
    else if (/^\+[-=+]+\+$/.test(line)) this.#table(gridTable(reader.takeWhile((row) => /^[+|]/.test(row))));
    else if (/^=+(?: +=+)+$/.test(line)) this.#simpleTable(reader);
    else if (/^(?:\|\s|\|$)/.test(line)) this.#lineBlock(reader);
    else if (/^>>> /.test(line))
      this.#list.add("code", reader.takeWhile((row) => row !== "").join("\n"), { language: "python" });
    else if (/^:[^:\s][^:]{0,100}:(?:\s|$)/.test(line)) this.#field(reader, depth);
    else if (/^__ /.test(line) || RULE.test(line)) reader.next();
    else if (ITEM.test(line)) this.#item(reader, depth, listLevel);
    else this.#paragraph(reader, depth);
  }

  /** A title underlined by punctuation, with or without an overline. */
  #section(reader: LineReader): boolean {
    const [first, second, third] = [reader.peek(), reader.peek(1), reader.peek(2)];
    const overline = RULE.exec(first);
    if (overline !== null && first.length > 1 && second.trim() !== "" && third === first) {
      for (let i = 0; i < 3; i++) reader.next();
      return this.#heading(second.trim(), `${overline[1]}${overline[1]}`);
    }
    const underline = RULE.exec(second);
    if (underline === null || overline !== null || /^\s/.test(first) || second.length < Math.min(4, first.length))
      return false;
    if (second.length < first.length && second.length < 4) return false;
    reader.next();
    reader.next();
    return this.#heading(first, underline[1]!);
  }

  #heading(title: string, style: string): true {
    if (!this.#styles.includes(style)) this.#styles.push(style);
    this.#list.heading(this.#styles.indexOf(style) + 1, this.#inline(title));
    return true;
  }

  #explicit(reader: LineReader, depth: number) {
    const first = reader.next();
    const indented = reader.takeIndented(1);
    const note = /^\.\. \[([#*]?[\w-]*)\](?:\s+(.*))?$/.exec(first);
    if (note !== null) {
      const text = [note[2] ?? "", ...dedent(indented)].join("\n").trim();
      return this.#list.add("note", `[^${note[1]}]: ${this.#inline(text)}`);
    }
    const directive = rstDirective(first, indented);
    if (directive !== null) this.#directive(directive, depth);
  }

  #directive(directive: RstDirective, depth: number): void {
    const { name, argument, options, body } = directive;
    const text = body.join("\n").trimEnd();
    if (SKIPPED.has(name)) return;
    if (name === "include" || name === "literalinclude") this.includes.push(argument);
    else if (CODE.test(name)) this.#list.add("code", text, argument === "" ? {} : { language: argument });
    else if (name === "math") this.#list.add("formula", `$$\n${[argument, text].join("\n").trim()}\n$$`);
    else if (name === "image" || name === "figure") {
      if (this.#addsImages) this.#list.add("image", options.get("alt") ?? "");
      if (name === "figure") this.#list.add("caption", this.#inline(text));
    } else if (name === "csv-table") this.#csvTable(directive);
    else if (name === "list-table") this.#listTable(directive);
    else {
      const isAdmonition = ADMONITION.test(name);
      const label = name[0]!.toUpperCase() + name.slice(1);
      if (VERSION_CHANGE.test(name)) this.#list.add("paragraph", `${label} ${argument}:`);
      else if (isAdmonition) this.#list.add("paragraph", `${label}:`);
      else if (name === "table") this.#list.add("caption", this.#inline(argument));
      else if (DEFINITION.test(name)) this.#list.add("paragraph", `\`${argument}\``);
      else this.#list.add("paragraph", this.#inline(argument));
      this.#body(isAdmonition && argument !== "" ? [argument, ...body] : body, depth + 1);
    }
  }

  #csvTable({ argument, options, body }: RstDirective): void {
    this.#list.add("caption", this.#inline(argument));
    const rows = body.filter((line) => line.trim() !== "").map((line) => this.#csvRow(line));
    const header = options.get("header");
    const count = Number(options.get("header-rows") ?? 0);
    if (header !== undefined) this.#list.table(this.#csvRow(header), rows);
    else this.#list.table(count > 0 ? (rows[0] ?? []) : [], count > 0 ? rows.slice(1) : rows);
  }

  #csvRow(line: string): string[] {
    return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      this.#inline((quoted?.replaceAll('""', '"') ?? plain ?? "").trim()),
    );
  }

  /** Each row is an item `* -`, and each cell an item within it. */
  #listTable({ argument, options, body }: RstDirective): void {
    this.#list.add("caption", this.#inline(argument));
    const rows: string[][] = [];
    for (const line of body) {
      const cell = /^(\* )?\s*-(?:\s+(.*))?$/.exec(line);
      if (cell?.[1] !== undefined) rows.push([]);
      if (cell !== null) rows.at(-1)?.push(cell[2] ?? "");
      else if (rows.at(-1)?.length) rows.at(-1)![rows.at(-1)!.length - 1] += ` ${line.trim()}`;
    }
    const cells = rows.map((row) => row.map((cell) => this.#inline(cell.trim())));
    const hasHeader = Number(options.get("header-rows") ?? 0) > 0;
    this.#list.table(hasHeader ? (cells[0] ?? []) : [], hasHeader ? cells.slice(1) : cells);
  }

  #table({ header, rows }: NonNullable<Block["table"]>): void {
    const convert = (row: readonly string[]): string[] => row.map((cell) => this.#inline(cell));
    this.#list.table(convert(header), rows.map(convert));
  }

  #simpleTable(reader: LineReader): void {
    const lines = [reader.next()];
    // The table ends with a rule followed by a blank line.
    while (!reader.isDone) {
      const line = reader.next();
      lines.push(line);
      if (/^=[= ]*$/.test(line) && reader.peek().trim() === "") break;
    }
    this.#table(simpleTable(lines));
  }

  #lineBlock(reader: LineReader): void {
    const lines = reader.takeWhile((line) => /^(?:\|\s|\|$|\s+\S)/.test(line));
    this.#list.add("paragraph", this.#inline(lines.map((line) => line.replace(/^\| ?/, "")).join("\n")));
  }

  /** Fields before the first paragraph are metadata; elsewhere they are text. */
  #field(reader: LineReader, depth: number): void {
    const [, name, value] = /^:([^:]{1,101}):\s*(.*)$/.exec(reader.next())!;
    const text = [value!, ...dedent(reader.takeIndented(1))].join("\n").trim();
    if (depth === 0 && this.#list.blocks.every((block) => block.kind === "heading")) {
      if (/^(?:author|authors|date|version|revision|copyright|status|organization)$/i.test(name!) && text !== "")
        this.metadata[name!.toLowerCase()] = text;
    } else this.#list.add("paragraph", this.#inline(`${name}: ${text}`));
  }

  #item(reader: LineReader, depth: number, level: number): void {
    const line = reader.next();
    const match = ITEM.exec(line)!;
    const width = match[0].length;
    const inner = reader.takeIndented(Math.min(width, Math.max(1, indentOf(reader.peek()))));
    const item = new LineReader([line.slice(width), ...dedent(inner.slice(0, 1)), ...inner.slice(1)]);
    const lead = item.takeWhile((row) => row.trim() !== "" && !(ITEM.test(row) && row !== line.slice(width)));
    const marker = match[2] === undefined ? {} : { marker: `${match[2]}.`.replace("#.", "1.") };
    const text = lead.map((row) => row.trim()).join(" ");
    const isLiteral = text.endsWith("::");
    this.#list.add("list_item", this.#inline(isLiteral ? text.slice(0, -1) : text), {
      level: Math.min(level, 9),
      ...marker,
    });
    item.skipBlank();
    if (isLiteral) this.#literal(item);
    this.#body(
      item.takeWhile(() => true),
      depth + 1,
      level + 1,
    );
  }

  #paragraph(reader: LineReader, depth: number) {
    const first = reader.next();
    const next = reader.peek();
    // A term whose definition is indented on the next lines.
    if (/^\s+\S/.test(next) && !first.endsWith("::")) {
      this.#list.add("paragraph", this.#inline(first));
      return this.#body(dedent(reader.takeIndented(1)), depth + 1);
    }
    const lines = [first, ...reader.takeWhile((line) => line.trim() !== "" && !/^(?:\.\. |\s{8,}\S)/.test(line))];
    const text = lines.map((line) => line.trim()).join("\n");
    if (!text.endsWith("::")) return this.#list.add("paragraph", this.#inline(text));
    this.#list.add(
      "paragraph",
      this.#inline(text.replace(/\s*::$/, (end) => (end === "::" && text !== "::" ? ":" : ""))),
    );
    reader.skipBlank();
    this.#literal(reader);
  }

  #literal(reader: LineReader): void {
    if (!/^\s/.test(reader.peek())) return;
    this.#list.add("code", dedent(reader.takeIndented(1)).join("\n"));
  }

  #inline(text: string): string {
    return rstInline(text, this.#names);
  }
}
