import type { BlockList } from "../shared/blocks/block-list.js";
import { dedent, indentOf, LineReader } from "../shared/markup/line-reader.js";
import { isOrgImageLine, orgToMarkdown } from "./inline.js";

const TODO_PATTERN = /^(?:TODO|DONE|NEXT|WAITING|CANCELLED|CANCELED)\s+/;
const ITEM_PATTERN = /^(\s*)([-+]|\s\*|\d{1,9}[.)])(?:\s+|$)(?:\[@\d+\]\s*)?(?:\[([ xX-])\]\s+)?(.*)$/;
const KEYWORD_PATTERN = /^\s*#\+([\w-]+):\s*(.*)$/;
const METADATA_KEYS = new Set(["title", "author", "date", "email", "language", "description", "keywords", "subtitle"]);

/** The maximum depth of blocks. Deeper blocks are kept as text. */
const MAX_DEPTH = 50;

/** Adds an Org document to a block list, line by line. Collects its keywords and the files that it includes. */
export class OrgReader {
  readonly keywords: Record<string, string> = {};
  readonly includes: string[] = [];
  readonly #list: BlockList;

  constructor(list: BlockList) {
    this.#list = list;
  }

  read(lines: readonly string[], depth = 0): void {
    const reader = new LineReader(lines);
    while (!reader.isDone) this.#readBlock(reader, depth);
  }

  #readBlock(reader: LineReader, depth: number): void {
    const line = reader.peek();
    const begin = /^\s*#\+begin_(\S+)[ \t]*(\S*)/i.exec(line);
    const headline = /^(\*{1,50})\s+(.*)$/.exec(line);
    if (line.trim() === "" || /^\s*#(?:\s|$)/.test(line)) reader.next();
    else if (headline !== null) this.#readHeadline(reader, headline);
    else if (begin !== null) this.#readFenced(reader, begin[1]!.toLowerCase(), begin[2]!, depth);
    else if (KEYWORD_PATTERN.test(line)) this.#addKeyword(KEYWORD_PATTERN.exec(reader.next())!);
    else if (/^\s*:[\w-]+:\s*$/.test(line)) this.#readDrawer(reader);
    else if (/^\s*\|/.test(line)) this.#addTable(reader.takeWhile((row) => /^\s*\|/.test(row)));
    else if (/^\s*:(?:\s|$)/.test(line)) this.#readFixedWidth(reader);
    else if (/^\s*\\begin\{/.test(line)) this.#readLatex(reader);
    else if (/^\[fn:[\w-]+\]/.test(line)) this.#list.add("note", orgToMarkdown(this.#readParagraphLines(reader)));
    else if (ITEM_PATTERN.test(line)) this.#readItem(reader);
    else if (/^\s*-{5,}\s*$/.test(line) || /^\s*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):/.test(line)) reader.next();
    else this.#readParagraph(reader);
  }

  #readHeadline(reader: LineReader, [, stars, text]: RegExpExecArray) {
    reader.next();
    const title = text!
      .replace(/\s+:[\w@#%:]+:\s*$/, "")
      .replace(TODO_PATTERN, "")
      .replace(/^\[#[A-Z0-9]\]\s*/, "");
    if (!/^COMMENT\b/.test(title)) return this.#list.heading(stars!.length, orgToMarkdown(title));
    reader.takeWhile((line) => !(/^\*+\s/.test(line) && /^\*+/.exec(line)![0].length <= stars!.length));
  }

  #addKeyword([, name, value]: RegExpExecArray): void {
    const key = name!.toLowerCase();
    if (key === "caption") this.#list.add("caption", orgToMarkdown(value!));
    else if (key === "include") this.includes.push(value!.trim().replace(/^"([^"]*)".*$/, "$1"));
    else if (METADATA_KEYS.has(key) && value!.trim() !== "")
      this.keywords[key] = this.keywords[key] === undefined ? value!.trim() : `${this.keywords[key]} ${value!.trim()}`;
  }

  #readDrawer(reader: LineReader) {
    const name = reader.next().trim();
    // The content of any other drawer is kept as text.
    if (!/^:(?:PROPERTIES|LOGBOOK):$/i.test(name)) return this.#list.add("paragraph", name);
    reader.takeWhile((line) => !/^\s*:END:\s*$/i.test(line) && !/^\*+\s/.test(line));
    if (/^\s*:END:\s*$/i.test(reader.peek())) reader.next();
  }

  #readFenced(reader: LineReader, kind: string, argument: string, depth: number): void {
    reader.next();
    const body = dedent(reader.takeUntil((line) => line.trim().toLowerCase() === `#+end_${kind}`));
    const text = body
      .join("\n")
      .replace(/^\n+|\s+$/g, "")
      .replace(/^,(?=[*#])/gm, "");
    if (kind === "comment") return;
    if (kind === "src") this.#list.add("code", text, argument === "" ? {} : { language: argument });
    else if (kind === "example" || kind === "verse") this.#list.add("code", text);
    else if (kind === "export") this.#list.add("code", text, { language: argument });
    else if (depth >= MAX_DEPTH) this.#list.add("paragraph", text);
    else this.read(body, depth + 1);
  }

  #readFixedWidth(reader: LineReader): void {
    const lines = reader.takeWhile((line) => /^\s*:(?:\s|$)/.test(line));
    this.#list.add("code", lines.map((line) => line.replace(/^\s*: ?/, "")).join("\n"));
  }

  #readLatex(reader: LineReader): void {
    const first = reader.peek().trim();
    const name = /^\\begin\{([^{}]*)\}/.exec(first)![1]!;
    const lines = reader.takeWhile((line) => !line.includes(`\\end{${name}}`));
    this.#list.add("formula", `$$\n${[...lines, reader.next()].join("\n").trim()}\n$$`);
  }

  #addTable(lines: readonly string[]): void {
    const ruleIndex = lines.findIndex((line) => /^\s*\|[-+]+/.test(line));
    const rows = lines
      .filter((line) => !/^\s*\|[-+]+\|?\s*$/.test(line) && !/^\s*\|\s*<[lcr]?\d*>/.test(line))
      .map((line) =>
        line
          .trim()
          .replace(/^\||\|$/g, "")
          .split("|")
          .map((cell) => orgToMarkdown(cell.trim())),
      );
    this.#list.table(ruleIndex > 0 ? (rows[0] ?? []) : [], ruleIndex > 0 ? rows.slice(1) : rows);
  }

  #readItem(reader: LineReader): void {
    const [, indent, bullet, checkbox, rest] = ITEM_PATTERN.exec(reader.next())!;
    const indentWidth = indent!.length;
    const more = reader.takeWhile(
      (line) =>
        line.trim() !== "" && indentOf(line) > indentWidth && !ITEM_PATTERN.test(line) && !/^\s*(?:#\+|\|)/.test(line),
    );
    const text = [rest!, ...more].map((line) => line.trim()).join(" ");
    const described = text.replace(/^(.{1,200}?)\s+::(?:\s+|$)/, "$1: ");
    const marker = /\d/.test(bullet!) ? { marker: `${Number.parseInt(bullet!, 10)}.` } : {};
    const task = checkbox === undefined ? "" : `[${/[xX]/.test(checkbox) ? "x" : " "}] `;
    const level = Math.min(9, 1 + Math.floor(indentWidth / 2));
    this.#list.add("list_item", task + orgToMarkdown(described), { level, ...marker });
  }

  #readParagraph(reader: LineReader): void {
    // An image has no text: its caption is a separate keyword.
    if (isOrgImageLine(reader.peek())) reader.next();
    else this.#list.add("paragraph", orgToMarkdown(this.#readParagraphLines(reader)));
  }

  #readParagraphLines(reader: LineReader): string {
    const first = reader.next();
    const more = reader.takeWhile(
      (line) =>
        line.trim() !== "" &&
        !/^(?:\*+\s|\s*#\+|\s*\||\s*:[\w-]+:\s*$|\[fn:[\w-]+\])/.test(line) &&
        !ITEM_PATTERN.test(line) &&
        !isOrgImageLine(line),
    );
    return [first, ...more].map((line) => line.trim()).join("\n");
  }
}
