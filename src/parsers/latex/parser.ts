import { markupParser } from "../shared/markup/markup-parser.js";

/** Parses LaTeX: sections, lists, tables and formulas. Macros are not expanded, and included files are not read. */
export const latexParser = markupParser({
  name: "latex",
  mimeTypes: ["application/x-tex", "text/x-tex", "application/x-latex"],
  extensions: ["tex", "latex", "ltx"],
  async read(list, text) {
    const [{ latexToCompactMarkdown }, { LatexReader }, { readLatex }] = await Promise.all([
      import("./inline.js"),
      import("./to-blocks.js"),
      import("./read.js"),
    ]);
    const { body, title, authors, date, includes } = readLatex(text);
    const author = authors === null ? null : latexToCompactMarkdown(authors.replace(/\s*\\and(?![a-zA-Z])\s*/g, ", "));
    if (title !== null) list.heading(1, latexToCompactMarkdown(title));
    if (author !== null) list.add("paragraph", author);
    new LatexReader(list, title === null ? 0 : 1).read(body);
    const metadata = {
      ...(author !== null && { author: author.replace(/\n/g, ", ") }),
      ...(date && { date: latexToCompactMarkdown(date) }),
    };
    return { metadata, includes };
  },
});
