import type { BlockList } from "../shared/blocks/block-list.js";
import { dedent, indentOf, LineReader } from "../shared/blocks/line-reader.js";
import { asciidocInline } from "./asciidoc-inline.js";
import { asciidocTable } from "./asciidoc-table.js";

const ITEM = /^(\s*)(\*{1,6}|-|•|\.{1,6}|\d{1,9}[.)])\s+(?:\[([ xX*])\]\s+)?(\S.*)$/;
const TERM = /^(\s*)([^\s:].{0,300}?)(:{2,4}|;;)(?:\s+(.*))?$/;
const FENCE = /^(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|--|\/{4,}|`{3}.*|[|,:!]={3,})\s*$/;
const KEPT = new Set(["author", "email", "date", "revdate", "lang", "description", "keywords"]);
const MAX_DEPTH = 50;

/** Reads an AsciiDoc document line by line. */
export class AsciidocReader {
  readonly metadata: Record<string, string> = {};
  /** Files that the document includes, which are not followed. */
  readonly includes: string[] = [];
  readonly #attributes = new Map<string, string>();
  readonly #list: BlockList;
  readonly #images: boolean;
  /** What stands in brackets above the next block. */
  #style = "";

  constructor(list: BlockList, images: boolean) {
    this.#list = list;
    this.#images = images;
  }

  read(lines: readonly string[]): void {
    const reader = new LineReader(lines);
    reader.skipBlank();
    this.#body(reader, 0);
  }

  #body(reader: LineReader, depth: number): void {
    while (!reader.done) this.#block(reader, depth);
  }

  #block(reader: LineReader, depth: number): void {
    const line = reader.peek();
    const heading = /^(={1,6}|#{1,6})\s+(\S.*)$/.exec(line);
    if (line.trim() === "" || line.trim() === "+") reader.next();
    else if (heading !== null) this.#heading(reader, heading);
    else if (FENCE.test(line)) this.#fenced(reader, depth);
    else if (
      /^\/\//.test(line) ||
      /^(?:ifdef|ifndef|ifeval|endif)::/.test(line) ||
      /^(?:'{3,}|<{3,}|\[\[.*\]\])\s*$/.test(line)
    )
      reader.next();
    else if (/^:!?[\w-]+!?:(?:\s|$)/.test(line)) this.#attribute(reader);
    else if (/^\[.*\]\s*$/.test(line)) this.#style = reader.next().trim().slice(1, -1);
    else if (/^\.[^\s.].*$/.test(line)) this.#list.add("caption", this.#inline(reader.next().slice(1)));
    else if (/^(?:image|video|audio|include|toc)::/.test(line)) this.#macro(reader.next());
    else if (ITEM.test(line)) this.#item(reader);
    else if (TERM.test(line) && !/^\S*::\S/.test(line)) this.#term(reader);
    else if (/^\s/.test(line)) this.#list.add("code", dedent(reader.takeWhile((row) => row.trim() !== "")).join("\n"));
    else if (/^\|.*\|\s*$/.test(line)) this.#pipes(reader);
    else this.#paragraph(reader);
  }

  #heading(reader: LineReader, [, signs, text]: RegExpExecArray): void {
    reader.next();
    const isTitle = this.#list.blocks.length === 0 && signs!.length === 1;
    this.#list.heading(signs!.length, this.#inline(text!));
    this.#style = "";
    // Author and revision stand directly below the title.
    if (isTitle && /^[^\s:/[|=].*<\S+@\S+>\s*$/.test(reader.peek())) {
      this.metadata.author = reader.next().trim();
      if (/^(?:v?\d|\w+ \d)/.test(reader.peek())) this.metadata.revision = reader.next().trim();
    }
  }

  #attribute(reader: LineReader): void {
    const [, name, value] = /^:!?([\w-]+)!?:\s*(.*)$/.exec(reader.next())!;
    let text = value!;
    while (/\s\\$/.test(text) && !reader.done) text = `${text.slice(0, -1)}${reader.next().trim()}`;
    this.#attributes.set(name!, text.trim());
    if (KEPT.has(name!) && text.trim() !== "") this.metadata[name!] = text.trim();
  }

  #macro(line: string): void {
    const macro = /^(\w+)::([^\s[\]]*)\[(.*)\]\s*$/.exec(line);
    if (macro?.[1] === "include") this.includes.push(macro[2]!);
    if (macro?.[1] !== "image" || !this.#images) return;
    const alt = /^"([^"]*)"|^([^,=]*)(?:,|$)/.exec(macro[3]!);
    const named = /(?:^|,\s*)alt="?([^",]*)/.exec(macro[3]!)?.[1];
    this.#list.add("image", (named ?? alt?.[1] ?? alt?.[2] ?? "").trim());
  }

  #fenced(reader: LineReader, depth: number) {
    const fence = reader.next().trim();
    const closing = fence.startsWith("```") ? "```" : fence;
    const body = reader.takeUntil((line) => line.trimEnd() === closing);
    const style = this.#style;
    this.#style = "";
    const text = body.join("\n");
    if (fence.startsWith("//") || (fence.startsWith("++") && !/stem|math/.test(style))) return;
    if (/^[|,:!]=/.test(fence)) return this.#table(body, `${style}${fence.startsWith(",") ? ",format=csv" : ""}`);
    if (/^(?:stem|latexmath|asciimath)/.test(style)) return this.#list.add("formula", text.trim());
    if (/^(?:-{4,}|\.{4,}|`{3})/.test(fence) || /^(?:source|listing|literal)/.test(style)) {
      const language = fence.startsWith("```")
        ? /^```(\w[\w+#-]*)/.exec(fence)?.[1]
        : /^(?:source)?%?\w*,\s*([\w+#-]+)/.exec(style)?.[1];
      return this.#list.add("code", withoutCallouts(text), language === undefined ? {} : { language });
    }
    if (depth >= MAX_DEPTH) return this.#list.add("paragraph", text.trim());
    if (/^[A-Z]{3,}$/.test(style)) this.#list.add("paragraph", `${admonition(style)}:`);
    this.#body(new LineReader(body), depth + 1);
    const source = /^(?:quote|verse),\s*(.+)$/.exec(style)?.[1];
    if (source !== undefined) this.#list.add("paragraph", `— ${source}`);
  }

  #table(body: readonly string[], attributes: string): void {
    const { header, rows } = asciidocTable(body, attributes);
    const shown = (row: readonly string[]): string[] => row.map((cell) => this.#inline(cell));
    this.#list.table(shown(header), rows.map(shown));
  }

  /** Rows as Markdown writes them, which readers of AsciiDoc take for text. */
  #pipes(reader: LineReader): void {
    const rows = reader
      .takeWhile((line) => /^\|.*\|\s*$/.test(line))
      .filter((line) => !/^[|\s:-]+$/.test(line))
      .map((line) =>
        line
          .trim()
          .slice(1, -1)
          .split("|")
          .map((cell) => this.#inline(cell.trim())),
      );
    this.#list.table(rows[0] ?? [], rows.slice(1));
  }

  #item(reader: LineReader): void {
    const [, indent, bullet, box, first] = ITEM.exec(reader.next())!;
    const more = reader.takeWhile((line) => isContinuation(line));
    const text = [first!, ...more].map((line) => line.trim()).join(" ");
    const level = Math.min(
      9,
      Math.max(bullet!.replace(/[-•\d)]/g, "").length || 1, 1 + Math.floor(indent!.length / 2)),
    );
    const marker = /^[.\d]/.test(bullet!)
      ? { marker: /^\d/.test(bullet!) ? `${Number.parseInt(bullet!, 10)}.` : "1." }
      : {};
    const task = box === undefined ? "" : `[${box === " " ? " " : "x"}] `;
    this.#style = "";
    this.#list.add("list_item", task + this.#inline(text), { level, ...this.#numbered(marker, level) });
  }

  /** Items with dots count up by themselves. */
  #numbered(marker: { marker?: string }, level: number): { marker?: string } {
    const last = this.#list.blocks.findLast((block) => block.kind !== "list_item" || (block.level ?? 1) <= level);
    if (marker.marker !== "1." || last?.kind !== "list_item" || last.level !== level || last.marker === undefined)
      return marker;
    return { marker: `${Number.parseInt(last.marker, 10) + 1}.` };
  }

  #term(reader: LineReader): void {
    const [, , term, , first] = TERM.exec(reader.next())!;
    if (first === undefined) reader.skipBlank();
    const isBlock =
      first === undefined && (FENCE.test(reader.peek()) || ITEM.test(reader.peek()) || reader.peek().trim() === "+");
    const more = isBlock ? [] : reader.takeWhile((line) => isContinuation(line));
    const text = [first ?? "", ...more]
      .map((line) => line.trim())
      .join(" ")
      .trim();
    this.#list.add("list_item", this.#inline(text === "" ? term! : `${term}: ${text}`), { level: 1 });
  }

  #paragraph(reader: LineReader) {
    const first = reader.next();
    const under = reader.peek();
    // Titles of the old style have a rule below them.
    const rule = /^(?:={3,}|-{3,}|~{3,}|\^{3,}|\+{3,})$/.test(under) && Math.abs(under.length - first.length) <= 2;
    if (rule) return this.#list.heading("=-~^+".indexOf(reader.next()[0]!) + 1, this.#inline(first));
    const lines = [first, ...reader.takeWhile((line) => isContinuation(line))];
    const text = lines.map((line) => line.trim()).join("\n");
    const style = this.#style;
    this.#style = "";
    if (/^(?:source|listing|literal)/.test(style)) this.#list.add("code", withoutCallouts(lines.join("\n")));
    else if (/^(?:stem|latexmath|asciimath)/.test(style)) this.#list.add("formula", text);
    else {
      const label = /^[A-Z]{3,}$/.test(style) ? `${admonition(style)}: ` : "";
      const plain = text.replace(
        /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION): /,
        (_, name: string) => `${admonition(name)}: `,
      );
      this.#list.add("paragraph", label + this.#inline(plain));
    }
  }

  #inline(text: string): string {
    return asciidocInline(text, this.#attributes);
  }
}

/** Whether a line goes on with the paragraph or item above. */
function isContinuation(line: string): boolean {
  return (
    line.trim() !== "" &&
    line.trim() !== "+" &&
    !ITEM.test(line) &&
    !FENCE.test(line) &&
    !/^(?:\/\/|\[.*\]\s*$|={1,6}\s)/.test(line) &&
    !(TERM.test(line) && /(?::{2,4}|;;)\s*$/.test(line) && indentOf(line) < 12)
  );
}

function admonition(name: string): string {
  return `${name[0]}${name.slice(1).toLowerCase()}`;
}

function withoutCallouts(code: string): string {
  return code.replace(/[ \t]*(?:\/\/|#|;;)?[ \t]?<\d{1,3}>[ \t]*$/gm, "").replace(/\s+$/, "");
}
