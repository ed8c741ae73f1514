import type { BlockList } from "../shared/blocks/block-list.js";
import { dedent, indentOf, LineReader } from "../shared/markup/line-reader.js";
import { applyConditionals } from "./conditionals.js";
import { asciidocInline } from "./inline.js";
import { asciidocTable } from "./table.js";

const ITEM = /^(\s*)(\*{1,6}|-|•|\.{1,6}|\d{1,9}[.)])\s+(?:\[([ xX*])\]\s+)?(\S.*)$/;
const TERM = /^(\s*)([^\s:].{0,300}?)(:{2,4}|;;)(?:\s+(.*))?$/;
const CALLOUT = /^<(\d{1,3}|\.)>\s+(\S.*)$/;
const FENCE = /^(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|--|\/{4,}|`{3}.*|[|,:!]={3,})\s*$/;
const METADATA_KEYS = new Set(["author", "email", "date", "revdate", "lang", "description", "keywords"]);
const MAX_DEPTH = 50;

/** Reads an AsciiDoc document line by line. */
export class AsciidocReader {
  readonly metadata: Record<string, string> = {};
  readonly includes: string[] = [];
  readonly #attributes = new Map<string, string>();
  readonly #list: BlockList;
  readonly #addsImages: boolean;
  /** The attribute list in brackets before the next block. */
  #style = "";
  /** The open lists, outermost first. A new marker opens a list within the innermost. */
  #lists: { readonly marker: string; count: number }[] = [];
  /** Whether a `+` attaches the next block to the last list item. */
  #isAttached = false;

  constructor(list: BlockList, images: boolean) {
    this.#list = list;
    this.#addsImages = images;
  }

  read(lines: readonly string[]): void {
    this.#body(new LineReader(applyConditionals(lines)), 0);
  }

  #body(reader: LineReader, depth: number): void {
    while (!reader.isDone) this.#block(reader, depth);
  }

  #block(reader: LineReader, depth: number): void {
    const line = reader.peek();
    const heading = /^(={1,6}|#{1,6})\s+(\S.*)$/.exec(line);
    if (line.trim() === "") reader.next();
    else if (line.trim() === "+") this.#isAttached = reader.next() !== "";
    else if (heading !== null) this.#heading(reader, heading);
    else if (FENCE.test(line)) this.#fenced(reader, depth);
    else if (/^\/\/|^(?:'{3,}|<{3,}|\[\[.*\]\])\s*$/.test(line)) reader.next();
    else if (/^:!?[\w-]+!?:(?:\s|$)/.test(line)) this.#attribute(reader);
    else if (/^\[.*\]\s*$/.test(line)) this.#style = reader.next().trim().slice(1, -1);
    else if (/^\.[^\s.].*$/.test(line)) this.#list.add("caption", this.#inline(reader.next().slice(1)));
    else if (/^(?:image|video|audio|include|toc)::/.test(line)) this.#macro(reader.next());
    else if (ITEM.test(line)) this.#item(reader);
    else if (CALLOUT.test(line)) this.#callout(reader);
    else if (termAt(line) !== null) this.#term(reader);
    else if (/^\s/.test(line)) this.#literal(reader);
    else if (/^\|.*\|\s*$/.test(line)) this.#markdownTable(reader);
    else this.#paragraph(reader);
  }

  #heading(reader: LineReader, [, signs, text]: RegExpExecArray): void {
    reader.next();
    this.#lists = [];
    const isTitle = this.#list.blocks.length === 0 && signs!.length === 1;
    this.#list.heading(signs!.length, this.#inline(text!));
    this.#style = "";
    // Author and revision follow directly below the title.
    if (isTitle && /^[^\s:/[|=].*<\S+@\S+>\s*$/.test(reader.peek())) {
      this.metadata.author = reader.next().trim();
      if (/^(?:v?\d|\w+ \d)/.test(reader.peek())) this.metadata.revision = reader.next().trim();
    }
  }

  #attribute(reader: LineReader): void {
    const [, name, value] = /^:!?([\w-]+)!?:\s*(.*)$/.exec(reader.next())!;
    let text = value!;
    while (/\s\\$/.test(text) && !reader.isDone) text = `${text.slice(0, -1)}${reader.next().trim()}`;
    this.#attributes.set(name!, text.trim());
    if (METADATA_KEYS.has(name!) && text.trim() !== "") this.metadata[name!] = text.trim();
  }

  #macro(line: string): void {
    const macro = /^(\w+)::([^\s[\]]*)\[(.*)\]\s*$/.exec(line);
    if (macro?.[1] === "include") this.includes.push(macro[2]!);
    if (macro?.[1] !== "image" || !this.#addsImages) return;
    this.#leaveLists();
    const positional = /^"([^"]*)"|^([^,=]*)(?:,|$)/.exec(macro[3]!);
    const namedAlt = /(?:^|,\s*)alt="?([^",]*)/.exec(macro[3]!)?.[1];
    this.#list.add("image", (namedAlt ?? positional?.[1] ?? positional?.[2] ?? "").trim());
  }

  #fenced(reader: LineReader, depth: number) {
    const fence = reader.next().trim();
    const closing = fence.startsWith("```") ? "```" : fence;
    const body = reader.takeUntil((line) => line.trimEnd() === closing);
    const style = this.#style;
    this.#style = "";
    const text = body.join("\n");
    if (fence.startsWith("//") || (fence.startsWith("++") && !/stem|math/.test(style))) return;
    this.#leaveLists();
    const format = { ",": ",format=csv", ":": ",format=dsv" }[fence[0]!] ?? "";
    if (/^[|,:!]=/.test(fence)) return this.#table(asciidocTable(body, style + format));
    if (/^(?:stem|latexmath|asciimath)/.test(style)) return this.#list.add("formula", text.trim());
    if (/^(?:-{4,}|\.{4,}|`{3})/.test(fence) || /^(?:source|listing|literal)/.test(style)) {
      const language = fence.startsWith("```")
        ? /^```(\w[\w+#-]*)/.exec(fence)?.[1]
        : /^(?:source)?%?\w*,\s*([\w+#-]+)/.exec(style)?.[1];
      return this.#list.add("code", withoutCallouts(text), language === undefined ? {} : { language });
    }
    if (depth >= MAX_DEPTH) return this.#list.add("paragraph", text.trim());
    if (/^[A-Z]{3,}$/.test(style)) this.#list.add("paragraph", `${admonitionLabel(style)}:`);
    const lists = this.#lists;
    this.#lists = [];
    this.#body(new LineReader(body), depth + 1);
    this.#lists = lists;
    const source = /^(?:quote|verse),\s*(.+)$/.exec(style)?.[1];
    if (source !== undefined) this.#list.add("paragraph", `— ${source}`);
  }

  /** Adds a table; its first row is the header. */
  #table(rows: readonly (readonly string[])[]): void {
    const [header = [], ...body] = rows.map((row) => row.map((cell) => this.#inline(cell.trim())));
    this.#list.table(header, body);
  }

  /** Adds a Markdown table, which AsciiDoc processors show as text. */
  #markdownTable(reader: LineReader): void {
    this.#leaveLists();
    const lines = reader.takeWhile((line) => /^\|.*\|\s*$/.test(line)).filter((line) => !/^[|\s:-]+$/.test(line));
    this.#table(lines.map((line) => line.trim().slice(1, -1).split("|")));
  }

  #item(reader: LineReader): void {
    const [, , bullet, checkbox, first] = ITEM.exec(reader.next())!;
    const isNumber = /^\d/.test(bullet!);
    const level = this.#enterList(isNumber ? "1." : bullet!);
    const count = isNumber ? Number.parseInt(bullet!, 10) : this.#lists.at(-1)!.count;
    const marker = /^[.\d]/.test(bullet!) ? { marker: `${count}.` } : {};
    const task = checkbox === undefined ? "" : `[${checkbox === " " ? " " : "x"}] `;
    this.#list.add("list_item", task + this.#itemText(first!, reader), { level, ...marker });
  }

  /** Adds the explanation of a numbered callout in the preceding code. */
  #callout(reader: LineReader): void {
    const [, number, first] = CALLOUT.exec(reader.next())!;
    const level = this.#enterList("<>");
    const marker = `${number === "." ? this.#lists.at(-1)!.count : number}.`;
    this.#list.add("list_item", this.#itemText(first!, reader), { level, marker });
  }

  #itemText(first: string, reader: LineReader): string {
    return this.#inline(joinTrimmed([first, ...reader.takeWhile(isContinuation)], " "));
  }

  /** Counts an item with a marker and returns the level of its list. */
  #enterList(marker: string): number {
    const index = this.#lists.findIndex((list) => list.marker === marker);
    const start = Number(/(?:^|,)\s*start\s*=\s*"?(\d{1,9})/.exec(this.#style)?.[1] ?? 1);
    if (index === -1) this.#lists.push({ marker, count: start });
    else {
      this.#lists.length = index + 1;
      this.#lists[index]!.count++;
    }
    this.#style = "";
    this.#isAttached = false;
    return Math.min(9, this.#lists.length);
  }

  /** Closes all lists unless the block is attached to an item. */
  #leaveLists(): void {
    if (!this.#isAttached) this.#lists = [];
    this.#isAttached = false;
  }

  #term(reader: LineReader): void {
    const [, , term, separator, first] = termAt(reader.next())!;
    const level = this.#enterList(separator!);
    const terms = [term!];
    let start = first;
    // Several terms may share the description that follows the last one.
    while (start === undefined && termAt(reader.peek())?.[3] === separator) {
      const next = termAt(reader.next())!;
      terms.push(next[2]!);
      start = next[4];
    }
    if (start === undefined) reader.skipBlank();
    const isBlock =
      start === undefined && (FENCE.test(reader.peek()) || ITEM.test(reader.peek()) || reader.peek().trim() === "+");
    const more = isBlock ? [] : reader.takeWhile(isContinuation);
    const text = joinTrimmed([start ?? "", ...more], " ").trim();
    this.#list.add("list_item", this.#inline(terms.join(", ") + (text && `: ${text}`)), { level });
  }

  /** Adds indented lines, which belong to the last item if there is one. */
  #literal(reader: LineReader): void {
    this.#isAttached = false;
    const lines = reader.takeWhile((line) => line.trim() !== "" && line.trim() !== "+");
    this.#list.add("code", dedent(lines).join("\n"));
  }

  #paragraph(reader: LineReader) {
    this.#leaveLists();
    const first = reader.next();
    const next = reader.peek();
    // Setext-style titles are underlined.
    const isTitle = /^(?:={3,}|-{3,}|~{3,}|\^{3,}|\+{3,})$/.test(next) && Math.abs(next.length - first.length) <= 2;
    if (isTitle) return this.#list.heading("=-~^+".indexOf(reader.next()[0]!) + 1, this.#inline(first));
    const lines = [first, ...reader.takeWhile(isContinuation)];
    const text = joinTrimmed(lines, "\n");
    const style = this.#style;
    this.#style = "";
    if (/^(?:source|listing|literal)/.test(style)) this.#list.add("code", withoutCallouts(lines.join("\n")));
    else if (/^(?:stem|latexmath|asciimath)/.test(style)) this.#list.add("formula", text);
    else {
      const label = /^[A-Z]{3,}$/.test(style) ? `${admonitionLabel(style)}: ` : "";
      const plain = text.replace(/^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)(?=: )/, admonitionLabel);
      this.#list.add("paragraph", label + this.#inline(plain));
    }
  }

  #inline(text: string): string {
    return asciidocInline(text, this.#attributes);
  }
}

/** The term of a description list; `null` for any other line, such as a block macro: `image::a.png[]`. */
function termAt(line: string): RegExpExecArray | null {
  return /^\S*::\S/.test(line) ? null : TERM.exec(line);
}

/** Whether a line continues a paragraph or item. */
function isContinuation(line: string): boolean {
  return (
    line.trim() !== "" &&
    line.trim() !== "+" &&
    !ITEM.test(line) &&
    !CALLOUT.test(line) &&
    !FENCE.test(line) &&
    !/^(?:\/\/|\[.*\]\s*$|={1,6}\s)/.test(line) &&
    !(TERM.test(line) && /(?::{2,4}|;;)\s*$/.test(line) && indentOf(line) < 12)
  );
}

function joinTrimmed(lines: readonly string[], separator: string): string {
  return lines.map((line) => line.trim()).join(separator);
}

function admonitionLabel(name: string): string {
  return `${name[0]}${name.slice(1).toLowerCase()}`;
}

function withoutCallouts(code: string): string {
  return code.replace(/[ \t]*(?:\/\/|#|;;)?[ \t]?<\d{1,3}>[ \t]*$/gm, "").replace(/\s+$/, "");
}
