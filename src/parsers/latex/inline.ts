import { markdownLink } from "../shared/markup/markdown-link.js";
import { argumentCounts, groupAt, optionalArgumentAt } from "./braces.js";

/** The combining mark of each accent command. */
const ACCENTS = parseMap(
  "` \u0300 ' \u0301 ^ \u0302 ~ \u0303 = \u0304 u \u0306 . \u0307",
  '" \u0308 r \u030a H \u030b v \u030c d \u0323 c \u0327 k \u0328',
);

/** The text of each symbol command. */
const SYMBOLS = new Map([
  ...parseMap(
    "ss ß ae æ AE Æ oe œ OE Œ aa å AA Å o ø O Ø l ł L Ł i i j j LaTeX LaTeX TeX TeX",
    "ldots … dots … textellipsis … textendash – textemdash — textbackslash \\ textasciitilde ~ textasciicircum ^",
    "textbar | textless < textgreater > textregistered ® texttrademark ™ copyright © S § P ¶ pounds £ euro €",
  ),
  ...Object.entries({ quad: " ", qquad: " ", newline: "\n", linebreak: "\n", today: "" }),
]);

/** The number of arguments of each command that shows none of them. */
const HIDDEN_ARGUMENT_COUNTS = argumentCounts(
  "label index vspace hspace pagestyle thispagestyle bibliographystyle bibliography input include includegraphics " +
    "def usepackage documentclass title author date color phantom hypersetup graphicspath pagenumbering captionsetup " +
    "lstset thanks newcounter",
  "setlength addtolength setcounter addtocounter newcommand renewcommand providecommand DeclareMathOperator " +
    "newtheorem fontsize rule",
  "newenvironment renewenvironment addcontentsline",
);

/** The number of arguments that precede the visible one, for commands that have any. */
const LEADING_ARGUMENT_COUNTS = argumentCounts(
  "textcolor colorbox parbox raisebox scalebox rotatebox foreignlanguage",
  "multirow multicolumn resizebox",
);

const MAX_DEPTH = 100;
const MAX_INLINE_CHARS = 5_000;

/** Converts LaTeX text to Markdown: keeps formulas, code and links, resolves symbols, and removes other commands. */
export function latexToMarkdown(text: string, depth = 0): string {
  if (depth > MAX_DEPTH) return text;
  const out: string[] = [];
  let at = 0;
  while (at < text.length) {
    const specialIndex = nextSpecialIndex(text, at);
    out.push(text.slice(at, specialIndex));
    if (specialIndex >= text.length) break;
    const char = text[specialIndex]!;
    if (char === "\\") at = addCommand(text, specialIndex, out, depth);
    else if (char === "$") at = addFormula(text, specialIndex, out);
    else if (char === "~") {
      out.push(" ");
      at = specialIndex + 1;
    } else if (char === "-") {
      const dashes = /^-+/.exec(text.slice(specialIndex, specialIndex + 3))![0];
      out.push(["-", "–", "—"][dashes.length - 1]!);
      at = specialIndex + dashes.length;
    } else if (char === "`" || char === "'") {
      const isDouble = text[specialIndex + 1] === char;
      out.push(isDouble ? (char === "`" ? "“" : "”") : char === "`" ? "‘" : "'");
      at = specialIndex + (isDouble ? 2 : 1);
    } else at = specialIndex + 1;
  }
  return out.join("");
}

/** Converts LaTeX text as {@link latexToMarkdown} does, then collapses spaces and removes blank lines. */
export function latexToCompactMarkdown(text: string): string {
  return latexToMarkdown(text)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n\s*/g, "\n")
    .trim()
    .normalize("NFC");
}

function nextSpecialIndex(text: string, from: number): number {
  SPECIAL_CHARACTER_PATTERN.lastIndex = from;
  return SPECIAL_CHARACTER_PATTERN.exec(text)?.index ?? text.length;
}

const SPECIAL_CHARACTER_PATTERN = /[\\${}~`'-]/g;

/** Adds a formula `$…$` or `$$…$$`. Returns the offset after it. */
function addFormula(text: string, start: number, out: string[]): number {
  const delimiter = text[start + 1] === "$" ? "$$" : "$";
  let at = text.indexOf(delimiter, start + delimiter.length);
  while (at !== -1 && text[at - 1] === "\\") at = text.indexOf(delimiter, at + 1);
  const end = at === -1 ? text.length : at + delimiter.length;
  out.push(text.slice(start, end));
  return end;
}

/** Adds the text of the command at `start`. Returns the offset after its arguments. */
function addCommand(text: string, start: number, out: string[], depth: number): number {
  const name = /^[a-zA-Z@]+\*?/.exec(text.slice(start + 1, start + 60))?.[0] ?? text[start + 1] ?? "";
  const after = start + 1 + name.length;
  const baseName = name.replace(/\*$/, "");
  if (baseName === "verb" && !/[\s{]/.test(text[after] ?? " ")) return addVerbatim(text, after, out);
  if (name === "(") return addInlineFormula(text, after, out);
  if (/^[%&#_{}$ ]$/.test(name)) out.push(name);
  else if (name === "\\") {
    out.push("\n");
    return optionalArgumentAt(text, after)?.end ?? after;
  } else if (/^[,;:!/@>-]$/.test(name)) out.push(name === "-" || name === "/" || name === "!" ? "" : " ");
  else if (ACCENTS.has(baseName)) return addAccent(text, after, ACCENTS.get(baseName)!, out, depth);
  else if (SYMBOLS.has(baseName)) {
    out.push(SYMBOLS.get(baseName)!);
    return text.startsWith("{}", after) ? after + 2 : /^\s/.test(text[after] ?? "") ? after + 1 : after;
  } else return addNamedCommand(baseName, text, after, out, depth);
  return after;
}

/** Adds a formula `\(…\)`. Returns the offset after it. */
function addInlineFormula(text: string, from: number, out: string[]): number {
  // Only the text before the next opening is searched, so that no text is scanned twice after unclosed formulas.
  const nextOpening = text.indexOf("\\(", from);
  const searched = text.slice(from, Math.min(from + MAX_INLINE_CHARS, nextOpening === -1 ? text.length : nextOpening));
  const length = searched.indexOf("\\)");
  if (length === -1) return from;
  out.push(`$${searched.slice(0, length).trim()}$`);
  return from + length + 2;
}

/** Adds `\verb|code|`, in which the character after the command also ends the code. Returns the offset after it. */
function addVerbatim(text: string, after: number, out: string[]): number {
  const line = text.slice(after + 1, after + 1 + MAX_INLINE_CHARS);
  const length = line.indexOf(text[after]!);
  if (length === -1) return after;
  out.push(`\`${line.slice(0, length)}\``);
  return after + length + 2;
}

/** Adds the letter after an accent command with its combining mark. Returns the offset after the letter. */
function addAccent(text: string, after: number, mark: string, out: string[], depth: number): number {
  const group = groupAt(text, after);
  if (group !== null) {
    const content = latexToMarkdown(group.content, depth + 1);
    out.push(`${content.slice(0, 1)}${content === "" ? "" : mark}${content.slice(1)}`);
    return group.end;
  }
  const letter = /^\s*\\?([a-zA-Z])/.exec(text.slice(after, after + 10));
  if (letter === null) return after;
  out.push(`${letter[1]}${mark}`);
  return after + letter[0].length;
}

/** Adds the visible text of a command. Returns the offset after its arguments. */
function addNamedCommand(name: string, text: string, after: number, out: string[], depth: number): number {
  let at = optionalArgumentAt(text, after)?.end ?? after;
  if (text[at] === "[") at = optionalArgumentAt(text, at)?.end ?? at;
  // Brackets after a space are text, not an optional argument.
  if (/\s/.test(text[after] ?? "") && !HIDDEN_ARGUMENT_COUNTS.has(name)) at = after;
  if (HIDDEN_ARGUMENT_COUNTS.has(name)) {
    for (let i = 0; i < HIDDEN_ARGUMENT_COUNTS.get(name)!; i++) at = skipArgument(text, at);
    return at;
  }
  for (let i = 0; i < (LEADING_ARGUMENT_COUNTS.get(name) ?? 0); i++) at = groupAt(text, at)?.end ?? at;
  const first = /[{\s]/.test(text[at] ?? "") ? groupAt(text, at) : null;
  if (first === null) return name === "item" ? at : after;
  if (name === "href") {
    const group = groupAt(text, first.end);
    const label = group === null ? first.content : latexToMarkdown(group.content, depth + 1);
    out.push(markdownLink(label, first.content.replace(/\\([%#_&])/g, "$1")));
    return group?.end ?? first.end;
  }
  out.push(visibleText(name, first.content, depth + 1));
  return first.end;
}

/** Returns what a command shows of its argument, as Markdown. */
function visibleText(name: string, argument: string, depth: number): string {
  if (/^(?:url|nolinkurl)$/.test(name)) return argument.replace(/\\([%#_&~])/g, "$1");
  if (name === "verb") return `\`${argument}\``;
  if (/^(?:cite|citet|citep|parencite|textcite|autocite|footcite|citealp|citeauthor|citeyear)$/.test(name))
    return `[${argument}]`;
  if (/^(?:ref|eqref|autoref|pageref|cref|Cref|nameref)$/.test(name)) return argument;
  const text = latexToMarkdown(argument, depth);
  if (/^(?:texttt|lstinline|code)$/.test(name)) return `\`${text}\``;
  return /^footnote(?:text)?$/.test(name) ? ` (${text.trim()})` : text;
}

/** Returns the offset after an argument, which may also be a single command, as in `\newcommand\name{…}`. */
function skipArgument(text: string, from: number): number {
  const optional = optionalArgumentAt(text, from);
  const start = optional?.end ?? from;
  const group = groupAt(text, start);
  if (group !== null) return group.end;
  const name = /^\s*\\[a-zA-Z@]+(?:#\d)*/.exec(text.slice(start, start + 100))?.[0];
  if (name === undefined) return start;
  // The replacement text of `\def\name#1{…}` is another group.
  return groupAt(text, start + name.length)?.end ?? start + name.length;
}

/** Parses alternating names and values, separated by spaces, into a map. */
function parseMap(...lines: readonly string[]): ReadonlyMap<string, string> {
  const words = lines.join(" ").split(" ");
  return new Map(words.flatMap((name, i) => (i % 2 === 0 ? [[name, words[i + 1]!]] : [])));
}
