import { markdownLink } from "../shared/markup/markdown-link.js";
import { argumentCounts, groupAt, optionAt } from "./braces.js";

const ACCENTS = pairs(
  "` \u0300 ' \u0301 ^ \u0302 ~ \u0303 = \u0304 u \u0306 . \u0307",
  '" \u0308 r \u030a H \u030b v \u030c d \u0323 c \u0327 k \u0328',
);

const LETTERS = new Map([
  ...pairs(
    "ss ß ae æ AE Æ oe œ OE Œ aa å AA Å o ø O Ø l ł L Ł i i j j LaTeX LaTeX TeX TeX",
    "ldots … dots … textellipsis … textendash – textemdash — textbackslash \\ textasciitilde ~ textasciicircum ^",
    "textbar | textless < textgreater > textregistered ® texttrademark ™ copyright © S § P ¶ pounds £ euro €",
  ),
  ...Object.entries({ quad: " ", qquad: " ", newline: "\n", linebreak: "\n", today: "" }),
]);

/** Commands whose arguments are not shown, with the number of arguments. */
const HIDDEN = argumentCounts(
  "label index vspace hspace pagestyle thispagestyle bibliographystyle bibliography input include includegraphics " +
    "def usepackage documentclass title author date color phantom hypersetup graphicspath pagenumbering captionsetup " +
    "lstset thanks newcounter",
  "setlength addtolength setcounter addtocounter newcommand renewcommand providecommand DeclareMathOperator " +
    "newtheorem fontsize rule",
  "newenvironment renewenvironment addcontentsline",
);

/** Commands with arguments before the text that they show, with the number of such arguments. */
const LEADING = argumentCounts(
  "textcolor colorbox parbox raisebox scalebox rotatebox foreignlanguage",
  "multirow multicolumn resizebox",
);

const MAX_DEPTH = 100;
const MAX_INLINE_FORMULA = 5_000;

/** Converts LaTeX text to Markdown: keeps formulas, code and links, resolves symbols, removes other commands. */
export function latexInline(text: string, depth = 0): string {
  if (depth > MAX_DEPTH) return text;
  const out: string[] = [];
  let at = 0;
  while (at < text.length) {
    const special = nextSpecial(text, at);
    out.push(text.slice(at, special));
    if (special >= text.length) break;
    const char = text[special]!;
    if (char === "\\") at = command(text, special, out, depth);
    else if (char === "$") at = formula(text, special, out);
    else if (char === "~") {
      out.push(" ");
      at = special + 1;
    } else if (char === "-") {
      const dashes = /^-+/.exec(text.slice(special, special + 3))![0];
      out.push(["-", "–", "—"][dashes.length - 1]!);
      at = special + dashes.length;
    } else if (char === "`" || char === "'") {
      const isDouble = text[special + 1] === char;
      out.push(isDouble ? (char === "`" ? "“" : "”") : char === "`" ? "‘" : "'");
      at = special + (isDouble ? 2 : 1);
    } else at = special + 1;
  }
  return out.join("");
}

/** Like {@link latexInline}, with spaces collapsed and blank lines removed. */
export function latexPlain(text: string): string {
  return latexInline(text)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n\s*/g, "\n")
    .trim()
    .normalize("NFC");
}

function nextSpecial(text: string, from: number): number {
  SPECIAL.lastIndex = from;
  return SPECIAL.exec(text)?.index ?? text.length;
}

const SPECIAL = /[\\${}~`'-]/g;

function formula(text: string, start: number, out: string[]): number {
  const delimiter = text[start + 1] === "$" ? "$$" : "$";
  let at = text.indexOf(delimiter, start + delimiter.length);
  while (at !== -1 && text[at - 1] === "\\") at = text.indexOf(delimiter, at + 1);
  const end = at === -1 ? text.length : at + delimiter.length;
  out.push(text.slice(start, end));
  return end;
}

function command(text: string, start: number, out: string[], depth: number): number {
  const name = /^[a-zA-Z@]+\*?/.exec(text.slice(start + 1, start + 60))?.[0] ?? text[start + 1] ?? "";
  const after = start + 1 + name.length;
  const unstarred = name.replace(/\*$/, "");
  if (unstarred === "verb" && !/[\s{]/.test(text[after] ?? " ")) return verbatim(text, after, out);
  if (name === "(") return inlineFormula(text, after, out);
  if (/^[%&#_{}$ ]$/.test(name)) out.push(name);
  else if (name === "\\") {
    out.push("\n");
    return optionAt(text, after)?.end ?? after;
  } else if (/^[,;:!/@>-]$/.test(name)) out.push(name === "-" || name === "/" || name === "!" ? "" : " ");
  else if (ACCENTS.has(unstarred)) return accent(text, after, ACCENTS.get(unstarred)!, out, depth);
  else if (LETTERS.has(unstarred)) {
    out.push(LETTERS.get(unstarred)!);
    return text.startsWith("{}", after) ? after + 2 : /^\s/.test(text[after] ?? "") ? after + 1 : after;
  } else return namedCommand(unstarred, text, after, out, depth);
  return after;
}

/** `\(…\)` */
function inlineFormula(text: string, from: number, out: string[]): number {
  // Searched only up to the next opening, so that no text is scanned twice if formulas are never closed.
  const next = text.indexOf("\\(", from);
  const near = text.slice(from, Math.min(from + MAX_INLINE_FORMULA, next === -1 ? text.length : next));
  const length = near.indexOf("\\)");
  if (length === -1) return from;
  out.push(`$${near.slice(0, length).trim()}$`);
  return from + length + 2;
}

/** `\verb|code|`: the character after the command also ends the code. */
function verbatim(text: string, after: number, out: string[]): number {
  const line = text.slice(after + 1, after + 1 + MAX_INLINE_FORMULA);
  const length = line.indexOf(text[after]!);
  if (length === -1) return after;
  out.push(`\`${line.slice(0, length)}\``);
  return after + length + 2;
}

function accent(text: string, after: number, mark: string, out: string[], depth: number): number {
  const group = groupAt(text, after);
  if (group !== null) {
    const content = latexInline(group.content, depth + 1);
    out.push(`${content.slice(0, 1)}${content === "" ? "" : mark}${content.slice(1)}`);
    return group.end;
  }
  const letter = /^\s*\\?([a-zA-Z])/.exec(text.slice(after, after + 10));
  if (letter === null) return after;
  out.push(`${letter[1]}${mark}`);
  return after + letter[0].length;
}

/** Adds the visible text of a command. Returns the offset after its arguments. */
function namedCommand(name: string, text: string, after: number, out: string[], depth: number): number {
  let at = optionAt(text, after)?.end ?? after;
  if (text[at] === "[") at = optionAt(text, at)?.end ?? at;
  // A bracket after a space is text.
  if (/\s/.test(text[after] ?? "") && !HIDDEN.has(name)) at = after;
  if (HIDDEN.has(name)) {
    for (let i = 0; i < HIDDEN.get(name)!; i++) at = argumentEnd(text, at);
    return at;
  }
  for (let i = 0; i < (LEADING.get(name) ?? 0); i++) at = groupAt(text, at)?.end ?? at;
  const first = /[{\s]/.test(text[at] ?? "") ? groupAt(text, at) : null;
  if (first === null) return name === "item" ? at : after;
  if (name === "href") {
    const group = groupAt(text, first.end);
    const label = group === null ? first.content : latexInline(group.content, depth + 1);
    out.push(markdownLink(label, first.content.replace(/\\([%#_&])/g, "$1")));
    return group?.end ?? first.end;
  }
  out.push(visibleText(name, first.content, depth + 1));
  return first.end;
}

/** The visible text of a command's argument. */
function visibleText(name: string, argument: string, depth: number): string {
  if (/^(?:url|nolinkurl)$/.test(name)) return argument.replace(/\\([%#_&~])/g, "$1");
  if (name === "verb") return `\`${argument}\``;
  if (/^(?:cite|citet|citep|parencite|textcite|autocite|footcite|citealp|citeauthor|citeyear)$/.test(name))
    return `[${argument}]`;
  if (/^(?:ref|eqref|autoref|pageref|cref|Cref|nameref)$/.test(name)) return argument;
  const text = latexInline(argument, depth);
  if (/^(?:texttt|lstinline|code)$/.test(name)) return `\`${text}\``;
  return /^footnote(?:text)?$/.test(name) ? ` (${text.trim()})` : text;
}

/** The end of an argument that may also be a single command, as in `\newcommand\name{…}`. */
function argumentEnd(text: string, from: number): number {
  const optional = optionAt(text, from);
  const start = optional?.end ?? from;
  const group = groupAt(text, start);
  if (group !== null) return group.end;
  const name = /^\s*\\[a-zA-Z@]+(?:#\d)*/.exec(text.slice(start, start + 100))?.[0];
  if (name === undefined) return start;
  // The text of `\def\name#1{…}` is a separate group.
  return groupAt(text, start + name.length)?.end ?? start + name.length;
}

/** A map from a list of alternating names and values. */
function pairs(...lines: readonly string[]): ReadonlyMap<string, string> {
  const words = lines.join(" ").split(" ");
  return new Map(words.flatMap((name, i) => (i % 2 === 0 ? [[name, words[i + 1]!]] : [])));
}
