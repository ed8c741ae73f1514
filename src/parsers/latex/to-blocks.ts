import type { BlockList } from "../shared/blocks/block-list.js";
import { argumentCounts, groupAt, optionAt } from "./braces.js";
import { latexPlain } from "./inline.js";
import { latexTable } from "./table.js";

const SECTIONS = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
/** Ends a paragraph, or is a block itself. */
const BOUNDARY = new RegExp(
  String.raw`\\begin\s*\{([^{}\n]{1,50})\}` +
    String.raw`|\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|frametitle|caption|captionof)\*?(?![a-zA-Z@])` +
    String.raw`|\\\[|\$\$|\n[ \t]*\n|\\par(?![a-zA-Z@])`,
  "g",
);
const LISTS = /^(?:itemize|enumerate|description|compactitem|compactenum|inparaenum|tasks|thebibliography)\*?$/;
const TABLES = /^(?:tabular|tabularx|tabulary|tabu|longtable|longtabu|supertabular|xltabular)\*?$/;
const CODE = /^(?:verbatim|Verbatim|lstlisting|minted|alltt|filecontents)\*?$/;
const FORMULAS = /^(?:equation|align|alignat|gather|multline|eqnarray|displaymath|math|flalign|dmath|subequations)\*?$/;
const SKIPPED = /^(?:tikzpicture|pgfpicture|picture|comment|CCSXML|axis)\*?$/;
const STATEMENTS =
  /^(?:theorem|lemma|proof|definition|corollary|proposition|remark|example|exercise|conjecture|claim|note|warning)\*?$/;
const MAX_DEPTH = 50;

/** Reads the body of a LaTeX document. */
export class LatexReader {
  readonly #list: BlockList;
  /** The level of the title; 0 if there is none. */
  readonly #baseLevel: number;
  #topSection = 2;

  constructor(list: BlockList, baseLevel: number) {
    this.#list = list;
    this.#baseLevel = baseLevel;
  }

  read(body: string): void {
    const used = SECTIONS.findIndex((name) => new RegExp(`\\\\${name}\\*?\\s*[[{]`).test(body));
    this.#topSection = used === -1 ? 2 : used;
    this.#body(body, 0, 0);
  }

  #body(text: string, depth: number, listLevel: number) {
    if (depth > MAX_DEPTH) return this.#paragraph(text);
    let at = 0;
    let from = 0;
    const boundary = new RegExp(BOUNDARY);
    for (;;) {
      boundary.lastIndex = at;
      const match = boundary.exec(text);
      if (match === null) break;
      this.#paragraph(text.slice(from, match.index));
      const end = match.index + match[0].length;
      if (match[1] !== undefined) at = this.#environment(match[1], text, end, depth, listLevel);
      else if (match[2] !== undefined) at = this.#command(match[2], text, end);
      else if (match[0] === "\\[" || match[0] === "$$") at = this.#display(match[0] === "$$" ? "$$" : "\\]", text, end);
      else at = end;
      from = at;
    }
    this.#paragraph(text.slice(from));
  }

  #paragraph(text: string): void {
    const plain = latexPlain(text);
    // Layout commands may leave only punctuation.
    if (/[\p{L}\p{N}$]/u.test(plain)) this.#list.add("paragraph", plain);
  }

  #command(name: string, text: string, end: number): number {
    const shortTitle = optionAt(text, end);
    let argument = groupAt(text, shortTitle?.end ?? end);
    if (argument !== null && name === "captionof") argument = groupAt(text, argument.end);
    if (argument === null) return end;
    const content = latexPlain(argument.content);
    if (name.startsWith("caption")) this.#list.add("caption", content);
    else if (name === "frametitle") this.#list.heading(this.#baseLevel + 3, content);
    else this.#list.heading(this.#baseLevel + SECTIONS.indexOf(name) - this.#topSection + 1, content);
    return argument.end;
  }

  #display(closing: string, text: string, from: number): number {
    const end = text.indexOf(closing, from);
    const stop = end === -1 ? text.length : end;
    this.#formula(text.slice(from, stop));
    return stop + closing.length;
  }

  #formula(tex: string): void {
    const content = tex.replace(/\\label\s*\{[^{}]{0,200}\}/g, "").trim();
    if (content !== "") this.#list.add("formula", `$$\n${content.replace(/\n[ \t]*(?=\n)/g, "")}\n$$`);
  }

  #environment(name: string, text: string, from: number, depth: number, listLevel: number): number {
    const { stop, end } = environmentEnd(name, text, from);
    const options = optionAt(text, from);
    const start = options === null || options.end > stop ? from : options.end;
    const inner = text.slice(start, stop);
    const unstarred = name.replace(/\*$/, "");
    if (SKIPPED.test(name)) return end;
    if (CODE.test(name)) this.#code(unstarred, inner, options?.content ?? "");
    else if (FORMULAS.test(name)) {
      const isPlain = /^(?:equation|displaymath|math|subequations)$/.test(unstarred);
      this.#formula(isPlain ? inner : `\\begin{${name}}${inner}\\end{${name}}`);
    } else if (TABLES.test(name)) this.#table(name, inner);
    else if (LISTS.test(name)) this.#items(unstarred, inner, depth, listLevel + 1);
    else {
      if (unstarred === "abstract") this.#list.heading(this.#baseLevel + 1, "Abstract");
      if (STATEMENTS.test(name)) {
        const label = `${unstarred[0]!.toUpperCase()}${unstarred.slice(1)}`;
        this.#list.add("paragraph", `${label}${options === null ? "" : ` (${latexPlain(options.content)})`}:`);
      }
      const title = unstarred === "frame" ? groupAt(inner, 0) : null;
      if (title !== null) this.#list.heading(this.#baseLevel + 3, latexPlain(title.content));
      this.#body(inner.slice(title?.end ?? argumentsEnd(unstarred, inner)), depth + 1, listLevel);
    }
    return end;
  }

  #code(name: string, inner: string, options: string): void {
    const argument = name === "minted" ? groupAt(inner, 0) : null;
    const language = argument?.content ?? /language\s*=\s*\{?(?:\[[^\]]*\])?([\w+#-]+)/.exec(options)?.[1];
    const code = inner.slice(argument?.end ?? 0).replace(/^[ \t]*\n|\s+$/g, "");
    this.#list.add("code", code, language === undefined ? {} : { language: language.toLowerCase() });
  }

  #table(name: string, inner: string): void {
    // Some environments have a width before the column specification.
    const first = groupAt(inner, 0);
    const hasWidth = /^(?:tabularx|tabulary|xltabular|tabular\*)$/.test(name);
    const columns = hasWidth && first !== null ? groupAt(inner, first.end) : first;
    const { captions, header, rows } = latexTable(inner.slice(columns?.end ?? first?.end ?? 0));
    for (const caption of captions) this.#list.add("caption", caption);
    this.#list.table(header, rows);
  }

  #items(name: string, inner: string, depth: number, level: number): void {
    let number = 1;
    for (const item of itemsOf(inner)) {
      const label = optionAt(item, 0);
      const key = name === "thebibliography" ? groupAt(item, label?.end ?? 0) : null;
      const content = item.slice(key?.end ?? label?.end ?? 0);
      const first = new RegExp(BOUNDARY).exec(content)?.index ?? content.length;
      const text = latexPlain(content.slice(0, first)).replace(/\n/g, " ");
      const labelText = label === null ? null : latexPlain(label.content);
      let lead = "";
      if (key !== null) lead = `[${key.content}]`;
      else if (labelText !== null && name === "description") lead = `${labelText}:`;
      const marker = /enum/.test(name) ? { marker: labelText ?? `${number}.` } : {};
      this.#list.add("list_item", `${lead} ${text}`.trim(), { level: Math.min(level, 9), ...marker });
      number++;
      this.#body(content.slice(first), depth + 1, level);
    }
  }
}

/** The offsets at which an environment's content and its `\end` end; the end of the text if it is never closed. */
function environmentEnd(name: string, text: string, from: number): { stop: number; end: number } {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const tags = new RegExp(`\\\\(begin|end)\\s*\\{${escaped}\\}`, "g");
  tags.lastIndex = from;
  let open = 1;
  for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
    // Environments within code are part of it.
    open += tag[1] === "begin" && !CODE.test(name) ? 1 : tag[1] === "end" ? -1 : 0;
    if (open === 0) return { stop: tag.index, end: tag.index + tag[0].length };
  }
  return { stop: text.length, end: text.length };
}

/** The text of each `\item`, without those of nested environments. */
function itemsOf(text: string): string[] {
  const items: string[] = [];
  let open = 0;
  let start = -1;
  for (const tag of text.matchAll(/\\(begin|end)\s*\{|\\(?:bib)?item(?![a-zA-Z@])/g)) {
    if (tag[1] !== undefined) open += tag[1] === "begin" ? 1 : -1;
    else if (open <= 0) {
      if (start !== -1) items.push(text.slice(start, tag.index));
      start = tag.index + tag[0].length;
    }
  }
  if (start !== -1) items.push(text.slice(start));
  return items;
}

/** Environments that begin with arguments, with the number of arguments. */
const ENVIRONMENT_ARGUMENTS = argumentCounts("minipage multicols adjustbox column", "wrapfigure wraptable");

/** The offset after the arguments of an environment. */
function argumentsEnd(name: string, text: string): number {
  let at = 0;
  for (let i = 0; i < (ENVIRONMENT_ARGUMENTS.get(name) ?? 0); i++) at = groupAt(text, at)?.end ?? at;
  return at;
}
