import type { BlockList } from "../shared/blocks/block-list.js";
import { argumentCounts, groupAt, optionalArgumentAt } from "./braces.js";
import { latexToCompactMarkdown } from "./inline.js";
import { parseLatexTable } from "./table.js";

/** Section commands, from the highest level to the lowest. */
const SECTION_COMMANDS = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
/** Matches what ends a paragraph: an environment, a heading or caption, a displayed formula or a blank line. */
const BOUNDARY_PATTERN = new RegExp(
  String.raw`\\begin\s*\{([^{}\n]{1,50})\}` +
    String.raw`|\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|frametitle|caption|captionof)\*?(?![a-zA-Z@])` +
    String.raw`|\\\[|\$\$|\n[ \t]*\n|\\par(?![a-zA-Z@])`,
  "g",
);
const LIST_PATTERN = /^(?:itemize|enumerate|description|compactitem|compactenum|inparaenum|tasks|thebibliography)\*?$/;
const TABLE_PATTERN = /^(?:tabular|tabularx|tabulary|tabu|longtable|longtabu|supertabular|xltabular)\*?$/;
const CODE_PATTERN = /^(?:verbatim|Verbatim|lstlisting|minted|alltt|filecontents)\*?$/;
const FORMULA_PATTERN =
  /^(?:equation|align|alignat|gather|multline|eqnarray|displaymath|math|flalign|dmath|subequations)\*?$/;
const SKIPPED_PATTERN = /^(?:tikzpicture|pgfpicture|picture|comment|CCSXML|axis)\*?$/;
const STATEMENT_PATTERN =
  /^(?:theorem|lemma|proof|definition|corollary|proposition|remark|example|exercise|conjecture|claim|note|warning)\*?$/;
const MAX_DEPTH = 50;

/** Adds the body of a LaTeX document to a block list. */
export class LatexReader {
  readonly #list: BlockList;
  /** The heading level of the title; 0 if there is none. */
  readonly #baseLevel: number;
  /** The index in `SECTION_COMMANDS` of the highest command that the document uses. */
  #topSectionIndex = 2;

  constructor(list: BlockList, baseLevel: number) {
    this.#list = list;
    this.#baseLevel = baseLevel;
  }

  read(body: string): void {
    const used = SECTION_COMMANDS.findIndex((name) => new RegExp(`\\\\${name}\\*?\\s*[[{]`).test(body));
    this.#topSectionIndex = used === -1 ? 2 : used;
    this.#readBody(body, 0, 0);
  }

  #readBody(text: string, depth: number, listLevel: number) {
    if (depth > MAX_DEPTH) return this.#addParagraph(text);
    let at = 0;
    let from = 0;
    const boundary = new RegExp(BOUNDARY_PATTERN);
    for (;;) {
      boundary.lastIndex = at;
      const match = boundary.exec(text);
      if (match === null) break;
      this.#addParagraph(text.slice(from, match.index));
      const end = match.index + match[0].length;
      if (match[1] !== undefined) at = this.#readEnvironment(match[1], text, end, depth, listLevel);
      else if (match[2] !== undefined) at = this.#readCommand(match[2], text, end);
      else if (match[0] === "\\[" || match[0] === "$$")
        at = this.#readDisplayFormula(match[0] === "$$" ? "$$" : "\\]", text, end);
      else at = end;
      from = at;
    }
    this.#addParagraph(text.slice(from));
  }

  #addParagraph(text: string): void {
    const plain = latexToCompactMarkdown(text);
    // Layout commands may leave only punctuation.
    if (/[\p{L}\p{N}$]/u.test(plain)) this.#list.add("paragraph", plain);
  }

  #readCommand(name: string, text: string, end: number): number {
    const shortTitle = optionalArgumentAt(text, end);
    let argument = groupAt(text, shortTitle?.end ?? end);
    if (argument !== null && name === "captionof") argument = groupAt(text, argument.end);
    if (argument === null) return end;
    const content = latexToCompactMarkdown(argument.content);
    if (name.startsWith("caption")) this.#list.add("caption", content);
    else if (name === "frametitle") this.#list.heading(this.#baseLevel + 3, content);
    else this.#list.heading(this.#baseLevel + SECTION_COMMANDS.indexOf(name) - this.#topSectionIndex + 1, content);
    return argument.end;
  }

  #readDisplayFormula(closing: string, text: string, from: number): number {
    const found = text.indexOf(closing, from);
    const contentEnd = found === -1 ? text.length : found;
    this.#addFormula(text.slice(from, contentEnd));
    return contentEnd + closing.length;
  }

  #addFormula(tex: string): void {
    const content = tex.replace(/\\label\s*\{[^{}]{0,200}\}/g, "").trim();
    if (content !== "") this.#list.add("formula", `$$\n${content.replace(/\n[ \t]*(?=\n)/g, "")}\n$$`);
  }

  #readEnvironment(name: string, text: string, from: number, depth: number, listLevel: number): number {
    const { contentEnd, end } = environmentEnd(name, text, from);
    const options = optionalArgumentAt(text, from);
    const start = options === null || options.end > contentEnd ? from : options.end;
    const inner = text.slice(start, contentEnd);
    const baseName = name.replace(/\*$/, "");
    if (SKIPPED_PATTERN.test(name)) return end;
    if (CODE_PATTERN.test(name)) this.#addCode(baseName, inner, options?.content ?? "");
    else if (FORMULA_PATTERN.test(name)) {
      const isPlain = /^(?:equation|displaymath|math|subequations)$/.test(baseName);
      this.#addFormula(isPlain ? inner : `\\begin{${name}}${inner}\\end{${name}}`);
    } else if (TABLE_PATTERN.test(name)) this.#addTable(name, inner);
    else if (LIST_PATTERN.test(name)) this.#readItems(baseName, inner, depth, listLevel + 1);
    else {
      if (baseName === "abstract") this.#list.heading(this.#baseLevel + 1, "Abstract");
      if (STATEMENT_PATTERN.test(name)) {
        const label = `${baseName[0]!.toUpperCase()}${baseName.slice(1)}`;
        this.#list.add(
          "paragraph",
          `${label}${options === null ? "" : ` (${latexToCompactMarkdown(options.content)})`}:`,
        );
      }
      const title = baseName === "frame" ? groupAt(inner, 0) : null;
      if (title !== null) this.#list.heading(this.#baseLevel + 3, latexToCompactMarkdown(title.content));
      this.#readBody(inner.slice(title?.end ?? skipArguments(baseName, inner)), depth + 1, listLevel);
    }
    return end;
  }

  #addCode(name: string, inner: string, options: string): void {
    const argument = name === "minted" ? groupAt(inner, 0) : null;
    const language = argument?.content ?? /language\s*=\s*\{?(?:\[[^\]]*\])?([\w+#-]+)/.exec(options)?.[1];
    const code = inner.slice(argument?.end ?? 0).replace(/^[ \t]*\n|\s+$/g, "");
    this.#list.add("code", code, language === undefined ? {} : { language: language.toLowerCase() });
  }

  #addTable(name: string, inner: string): void {
    // In these environments, a width precedes the column specification.
    const first = groupAt(inner, 0);
    const hasWidth = /^(?:tabularx|tabulary|xltabular|tabular\*)$/.test(name);
    const columnSpecification = hasWidth && first !== null ? groupAt(inner, first.end) : first;
    const { captions, header, rows } = parseLatexTable(inner.slice(columnSpecification?.end ?? first?.end ?? 0));
    for (const caption of captions) this.#list.add("caption", caption);
    this.#list.table(header, rows);
  }

  #readItems(name: string, inner: string, depth: number, level: number): void {
    let number = 1;
    for (const item of itemsOf(inner)) {
      const label = optionalArgumentAt(item, 0);
      const key = name === "thebibliography" ? groupAt(item, label?.end ?? 0) : null;
      const content = item.slice(key?.end ?? label?.end ?? 0);
      const textEnd = new RegExp(BOUNDARY_PATTERN).exec(content)?.index ?? content.length;
      const text = latexToCompactMarkdown(content.slice(0, textEnd)).replace(/\n/g, " ");
      const labelText = label === null ? null : latexToCompactMarkdown(label.content);
      let lead = "";
      if (key !== null) lead = `[${key.content}]`;
      else if (labelText !== null && name === "description") lead = `${labelText}:`;
      const marker = /enum/.test(name) ? { marker: labelText ?? `${number}.` } : {};
      this.#list.add("list_item", `${lead} ${text}`.trim(), { level: Math.min(level, 9), ...marker });
      number++;
      this.#readBody(content.slice(textEnd), depth + 1, level);
    }
  }
}

/**
 * Returns the offset of the `\end` of an environment and the offset after it. Both are the end of the text if the
 * environment is never closed.
 */
function environmentEnd(name: string, text: string, from: number): { contentEnd: number; end: number } {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const tags = new RegExp(`\\\\(begin|end)\\s*\\{${escaped}\\}`, "g");
  tags.lastIndex = from;
  let openCount = 1;
  for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
    // An environment within code is part of the code.
    openCount += tag[1] === "begin" && !CODE_PATTERN.test(name) ? 1 : tag[1] === "end" ? -1 : 0;
    if (openCount === 0) return { contentEnd: tag.index, end: tag.index + tag[0].length };
  }
  return { contentEnd: text.length, end: text.length };
}

/** Returns the text of each `\item`, including nested lists. */
function itemsOf(text: string): string[] {
  const items: string[] = [];
  let openCount = 0;
  let start = -1;
  for (const tag of text.matchAll(/\\(begin|end)\s*\{|\\(?:bib)?item(?![a-zA-Z@])/g)) {
    if (tag[1] !== undefined) openCount += tag[1] === "begin" ? 1 : -1;
    else if (openCount <= 0) {
      if (start !== -1) items.push(text.slice(start, tag.index));
      start = tag.index + tag[0].length;
    }
  }
  if (start !== -1) items.push(text.slice(start));
  return items;
}

/** The number of arguments after `\begin{…}` of each environment that has any. */
const ENVIRONMENT_ARGUMENT_COUNTS = argumentCounts("minipage multicols adjustbox column", "wrapfigure wraptable");

/** Returns the offset after the arguments of an environment. */
function skipArguments(name: string, text: string): number {
  let at = 0;
  for (let i = 0; i < (ENVIRONMENT_ARGUMENT_COUNTS.get(name) ?? 0); i++) at = groupAt(text, at)?.end ?? at;
  return at;
}
