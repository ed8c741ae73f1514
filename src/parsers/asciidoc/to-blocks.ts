import type { BlockList } from "../shared/blocks/block-list.js";
import { dedent, indentOf, LineReader } from "../shared/markup/line-reader.js";
import { applyConditionals } from "./conditionals.js";
import { asciidocToMarkdown } from "./inline.js";
import { parseAsciidocTable } from "./table.js";

const ITEM_PATTERN = /^(\s*)(\*{1,6}|-|•|\.{1,6}|\d{1,9}[.)])\s+(?:\[([ xX*])\]\s+)?(\S.*)$/;
const TERM_PATTERN = /^(\s*)([^\s:].{0,300}?)(:{2,4}|;;)(?:\s+(.*))?$/;
const CALLOUT_PATTERN = /^<(\d{1,3}|\.)>\s+(\S.*)$/;
const FENCE_PATTERN = /^(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|--|\/{4,}|`{3}.*|[|,:!]={3,})\s*$/;
const METADATA_KEYS = new Set(["author", "email", "date", "revdate", "lang", "description", "keywords"]);
const MAX_DEPTH = 50;

/** Adds an AsciiDoc document to a block list, line by line. Collects its metadata and the files that it includes. */
export class AsciidocReader {
  readonly metadata: Record<string, string> = {};
  readonly includes: string[] = [];
  readonly #attributes = new Map<string, string>();
  readonly #list: BlockList;
  readonly #addsImages: boolean;
  /** The content of the last attribute list in brackets, which applies to the next block. */
  #blockAttributes = "";
  /**
   * The open lists, outermost first, with the number of their last item. An item whose marker belongs to none of them
   * opens a list within the innermost.
   */
  #lists: { readonly marker: string; count: number }[] = [];
  /** Whether a `+` attaches the next block to the last list item. */
  #isAttached = false;

  constructor(list: BlockList, addsImages: boolean) {
    this.#list = list;
    this.#addsImages = addsImages;
  }

  read(lines: readonly string[]): void {
    this.#readBody(new LineReader(applyConditionals(lines)), 0);
  }

  #readBody(reader: LineReader, depth: number): void {
    while (!reader.isDone) this.#readBlock(reader, depth);
  }

  #readBlock(reader: LineReader, depth: number): void {
    const line = reader.peek();
    const heading = /^(={1,6}|#{1,6})\s+(\S.*)$/.exec(line);
    if (line.trim() === "") reader.next();
    else if (line.trim() === "+") this.#isAttached = reader.next() !== "";
    else if (heading !== null) this.#readHeading(reader, heading);
    else if (FENCE_PATTERN.test(line)) this.#readFenced(reader, depth);
    else if (/^\/\/|^(?:'{3,}|<{3,}|\[\[.*\]\])\s*$/.test(line)) reader.next();
    else if (/^:!?[\w-]+!?:(?:\s|$)/.test(line)) this.#readAttribute(reader);
    else if (/^\[.*\]\s*$/.test(line)) this.#blockAttributes = reader.next().trim().slice(1, -1);
    else if (/^\.[^\s.].*$/.test(line)) this.#list.add("caption", this.#toMarkdown(reader.next().slice(1)));
    else if (/^(?:image|video|audio|include|toc)::/.test(line)) this.#readMacro(reader.next());
    else if (ITEM_PATTERN.test(line)) this.#readItem(reader);
    else if (CALLOUT_PATTERN.test(line)) this.#readCallout(reader);
    else if (matchTerm(line) !== null) this.#readTerm(reader);
    else if (/^\s/.test(line)) this.#readLiteral(reader);
    else if (/^\|.*\|\s*$/.test(line)) this.#readMarkdownTable(reader);
    else this.#readParagraph(reader);
  }

  #readHeading(reader: LineReader, [, marker, text]: RegExpExecArray): void {
    reader.next();
    this.#lists = [];
    const isTitle = this.#list.blocks.length === 0 && marker!.length === 1;
    this.#list.heading(marker!.length, this.#toMarkdown(text!));
    this.#blockAttributes = "";
    // Author and revision follow directly below the title.
    if (isTitle && /^[^\s:/[|=].*<\S+@\S+>\s*$/.test(reader.peek())) {
      this.metadata.author = reader.next().trim();
      if (/^(?:v?\d|\w+ \d)/.test(reader.peek())) this.metadata.revision = reader.next().trim();
    }
  }

  #readAttribute(reader: LineReader): void {
    const [, name, value] = /^:!?([\w-]+)!?:\s*(.*)$/.exec(reader.next())!;
    let text = value!;
    while (/\s\\$/.test(text) && !reader.isDone) text = `${text.slice(0, -1)}${reader.next().trim()}`;
    this.#attributes.set(name!, text.trim());
    if (METADATA_KEYS.has(name!) && text.trim() !== "") this.metadata[name!] = text.trim();
  }

  #readMacro(line: string): void {
    const macro = /^(\w+)::([^\s[\]]*)\[(.*)\]\s*$/.exec(line);
    if (macro?.[1] === "include") this.includes.push(macro[2]!);
    if (macro?.[1] !== "image" || !this.#addsImages) return;
    this.#leaveLists();
    const positional = /^"([^"]*)"|^([^,=]*)(?:,|$)/.exec(macro[3]!);
    const namedAlt = /(?:^|,\s*)alt="?([^",]*)/.exec(macro[3]!)?.[1];
    this.#list.add("image", (namedAlt ?? positional?.[1] ?? positional?.[2] ?? "").trim());
  }

  #readFenced(reader: LineReader, depth: number) {
    const fence = reader.next().trim();
    const closing = fence.startsWith("```") ? "```" : fence;
    const body = reader.takeUntil((line) => line.trimEnd() === closing);
    const style = this.#blockAttributes;
    this.#blockAttributes = "";
    const text = body.join("\n");
    if (fence.startsWith("//") || (fence.startsWith("++") && !/stem|math/.test(style))) return;
    this.#leaveLists();
    const format = { ",": ",format=csv", ":": ",format=dsv" }[fence[0]!] ?? "";
    if (/^[|,:!]=/.test(fence)) return this.#addTable(parseAsciidocTable(body, style + format));
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
    this.#readBody(new LineReader(body), depth + 1);
    this.#lists = lists;
    const attribution = /^(?:quote|verse),\s*(.+)$/.exec(style)?.[1];
    if (attribution !== undefined) this.#list.add("paragraph", `— ${attribution}`);
  }

  /** Adds a table. Its first row is the header. */
  #addTable(rows: readonly (readonly string[])[]): void {
    const [header = [], ...body] = rows.map((row) => row.map((cell) => this.#toMarkdown(cell.trim())));
    this.#list.table(header, body);
  }

  /** Adds a Markdown table, which AsciiDoc itself would show as text. */
  #readMarkdownTable(reader: LineReader): void {
    this.#leaveLists();
    const lines = reader.takeWhile((line) => /^\|.*\|\s*$/.test(line)).filter((line) => !/^[|\s:-]+$/.test(line));
    this.#addTable(lines.map((line) => line.trim().slice(1, -1).split("|")));
  }

  #readItem(reader: LineReader): void {
    const [, , bullet, checkbox, first] = ITEM_PATTERN.exec(reader.next())!;
    const isNumber = /^\d/.test(bullet!);
    const level = this.#enterList(isNumber ? "1." : bullet!);
    const count = isNumber ? Number.parseInt(bullet!, 10) : this.#lists.at(-1)!.count;
    const marker = /^[.\d]/.test(bullet!) ? { marker: `${count}.` } : {};
    const task = checkbox === undefined ? "" : `[${checkbox === " " ? " " : "x"}] `;
    this.#list.add("list_item", task + this.#readItemText(first!, reader), { level, ...marker });
  }

  /** Adds the explanation of a numbered callout in the code above. */
  #readCallout(reader: LineReader): void {
    const [, number, first] = CALLOUT_PATTERN.exec(reader.next())!;
    const level = this.#enterList("<>");
    const marker = `${number === "." ? this.#lists.at(-1)!.count : number}.`;
    this.#list.add("list_item", this.#readItemText(first!, reader), { level, marker });
  }

  #readItemText(first: string, reader: LineReader): string {
    return this.#toMarkdown(joinTrimmed([first, ...reader.takeWhile(isContinuation)], " "));
  }

  /** Counts an item in the list of its marker, and opens this list if needed. Returns the level of the list. */
  #enterList(marker: string): number {
    const index = this.#lists.findIndex((list) => list.marker === marker);
    const start = Number(/(?:^|,)\s*start\s*=\s*"?(\d{1,9})/.exec(this.#blockAttributes)?.[1] ?? 1);
    if (index === -1) this.#lists.push({ marker, count: start });
    else {
      this.#lists.length = index + 1;
      this.#lists[index]!.count++;
    }
    this.#blockAttributes = "";
    this.#isAttached = false;
    return Math.min(9, this.#lists.length);
  }

  /** Closes all lists, unless the block is attached to a list item. */
  #leaveLists(): void {
    if (!this.#isAttached) this.#lists = [];
    this.#isAttached = false;
  }

  #readTerm(reader: LineReader): void {
    const [, , term, separator, first] = matchTerm(reader.next())!;
    const level = this.#enterList(separator!);
    const terms = [term!];
    let description = first;
    // Several terms can share the description after the last of them.
    while (description === undefined && matchTerm(reader.peek())?.[3] === separator) {
      const next = matchTerm(reader.next())!;
      terms.push(next[2]!);
      description = next[4];
    }
    if (description === undefined) reader.skipBlank();
    const isDescribedByBlock =
      description === undefined &&
      (FENCE_PATTERN.test(reader.peek()) || ITEM_PATTERN.test(reader.peek()) || reader.peek().trim() === "+");
    const more = isDescribedByBlock ? [] : reader.takeWhile(isContinuation);
    const text = joinTrimmed([description ?? "", ...more], " ").trim();
    this.#list.add("list_item", this.#toMarkdown(terms.join(", ") + (text && `: ${text}`)), { level });
  }

  /** Adds indented lines as code. Leaves the lists open, so that code within a list item does not end the list. */
  #readLiteral(reader: LineReader): void {
    this.#isAttached = false;
    const lines = reader.takeWhile((line) => line.trim() !== "" && line.trim() !== "+");
    this.#list.add("code", dedent(lines).join("\n"));
  }

  #readParagraph(reader: LineReader) {
    this.#leaveLists();
    const first = reader.next();
    const next = reader.peek();
    // Setext-style titles are underlined.
    const isTitle = /^(?:={3,}|-{3,}|~{3,}|\^{3,}|\+{3,})$/.test(next) && Math.abs(next.length - first.length) <= 2;
    if (isTitle) return this.#list.heading("=-~^+".indexOf(reader.next()[0]!) + 1, this.#toMarkdown(first));
    const lines = [first, ...reader.takeWhile(isContinuation)];
    const text = joinTrimmed(lines, "\n");
    const style = this.#blockAttributes;
    this.#blockAttributes = "";
    if (/^(?:source|listing|literal)/.test(style)) this.#list.add("code", withoutCallouts(lines.join("\n")));
    else if (/^(?:stem|latexmath|asciimath)/.test(style)) this.#list.add("formula", text);
    else {
      const label = /^[A-Z]{3,}$/.test(style) ? `${admonitionLabel(style)}: ` : "";
      const plain = text.replace(/^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)(?=: )/, admonitionLabel);
      this.#list.add("paragraph", label + this.#toMarkdown(plain));
    }
  }

  #toMarkdown(text: string): string {
    return asciidocToMarkdown(text, this.#attributes);
  }
}

/**
 * Matches a term of a description list. Returns `null` for any other line, such as the block macro `image::a.png[]`.
 */
function matchTerm(line: string): RegExpExecArray | null {
  return /^\S*::\S/.test(line) ? null : TERM_PATTERN.exec(line);
}

/** Returns whether a line continues a paragraph or item. */
function isContinuation(line: string): boolean {
  return (
    line.trim() !== "" &&
    line.trim() !== "+" &&
    !ITEM_PATTERN.test(line) &&
    !CALLOUT_PATTERN.test(line) &&
    !FENCE_PATTERN.test(line) &&
    !/^(?:\/\/|\[.*\]\s*$|={1,6}\s)/.test(line) &&
    !(TERM_PATTERN.test(line) && /(?::{2,4}|;;)\s*$/.test(line) && indentOf(line) < 12)
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
