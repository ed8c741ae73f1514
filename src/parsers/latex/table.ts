import { groupAt } from "./braces.js";
import { latexToCompactMarkdown } from "./inline.js";

export interface LatexTable {
  readonly captions: readonly string[];
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const LAYOUT_COMMAND_PATTERN = new RegExp(
  String.raw`\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|centering|` +
    String.raw`small|footnotesize|(?:cline|cmidrule)(?:\([^()]{0,10}\))?\s*\{[^{}]{0,20}\}|` +
    String.raw`addlinespace(?:\[[^\]]{0,20}\])?)(?![a-zA-Z])`,
  "g",
);
const MAX_SPAN = 100;

/** Parses the content of a `tabular` after its column specification. A cell that spans columns is repeated in each. */
export function parseLatexTable(body: string): LatexTable {
  const captions: string[] = [];
  const rows = splitAt(body, "\\\\")
    .map((row) => {
      const caption = /\\caption\s*/.exec(row);
      const group = caption === null ? null : groupAt(row, caption.index + caption[0].length);
      if (group === null) return row;
      captions.push(latexToCompactMarkdown(group.content));
      return row.slice(group.end);
    })
    .map((row) => row.replace(/^\s*\*?\[[^\]\n]{0,20}\]/, "").replace(LAYOUT_COMMAND_PATTERN, ""))
    .filter((row) => row.trim() !== "")
    .map((row) => splitAt(row, "&").flatMap(cellsOf));
  const filled = rows.filter((row) => row.some((cell) => cell !== ""));
  return { captions, header: filled[0] ?? [], rows: filled.slice(1) };
}

function cellsOf(cell: string): string[] {
  const span = /^\s*\\multicolumn\s*\{\s*(\d{1,3})\s*\}/.exec(cell);
  const text = latexToCompactMarkdown(cell).replace(/\s+/g, " ");
  return span === null ? [text] : new Array<string>(Math.min(MAX_SPAN, Math.max(1, Number(span[1])))).fill(text);
}

/** Splits text at separators outside groups and environments. */
function splitAt(text: string, separator: "\\\\" | "&"): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (depth <= 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(start, at));
      at += separator.length - 1;
      start = at + 1;
    } else if (text[at] === "\\") {
      if (text.startsWith("begin{", at + 1)) depth++;
      else if (text.startsWith("end{", at + 1)) depth--;
      at++;
    } else if (text[at] === "{") depth++;
    else if (text[at] === "}") depth--;
  }
  parts.push(text.slice(start));
  return parts;
}
