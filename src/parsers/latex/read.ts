import { groupAt } from "./braces.js";

/** A LaTeX file without comments, split into its body and properties. */
export interface LatexSource {
  /** The text between `\begin{document}` and `\end{document}`, or the whole file if it has neither. */
  readonly body: string;
  readonly title: string | null;
  readonly authors: string | null;
  readonly date: string | null;
  /** Names of included files, which are not read. */
  readonly includes: readonly string[];
}

const VERBATIM_BEGIN_PATTERN = /\\begin\{(verbatim\*?|lstlisting|minted|Verbatim|alltt|comment)\}/g;

/** Splits a LaTeX file into its body and the properties in its preamble. Removes comments. */
export function readLatex(text: string): LatexSource {
  const source = removeComments(text);
  const begin = source.indexOf("\\begin{document}");
  const end = source.lastIndexOf("\\end{document}");
  const body = source.slice(begin === -1 ? 0 : begin + 16, end > begin ? end : source.length);
  const argument = (name: string): string | null => {
    const match = new RegExp(`\\\\${name}(?![a-zA-Z])\\s*(?:\\[[^\\]]{0,300}\\])?`).exec(source);
    return match === null ? null : (groupAt(source, match.index + match[0].length)?.content ?? null);
  };
  const includes = [...body.matchAll(/\\(?:input|include|subfile)\s*\{([^{}]{1,300})\}/g)].map((match) =>
    match[1]!.trim(),
  );
  return { body, title: argument("title"), authors: argument("author"), date: argument("date"), includes };
}

/** Removes comments, which begin with `%`. A `%` in code or after a backslash does not begin a comment. */
function removeComments(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const match of text.matchAll(VERBATIM_BEGIN_PATTERN)) {
    if (match.index < at) continue;
    parts.push(removeCommentsOutsideCode(text.slice(at, match.index)));
    const closing = `\\end{${match[1]}}`;
    const end = text.indexOf(closing, match.index);
    at = end === -1 ? text.length : end + closing.length;
    if (match[1] !== "comment") parts.push(text.slice(match.index, at));
  }
  parts.push(removeCommentsOutsideCode(text.slice(at)));
  return parts.join("");
}

/** Removes the comments from text without code, and lines that contain only a comment. */
function removeCommentsOutsideCode(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const comment = /^((?:[^%\\]|\\.)*)%/.exec(line);
      return comment === null ? line : comment[1]!.trim() === "" ? null : comment[1]!;
    })
    .filter((line) => line !== null)
    .join("\n");
}
