import { markupParser } from "../shared/markup/markup-parser.js";

/** LaTeX: sections, lists, tables and formulas. Macros are not expanded, included files are not read. */
export const latexParser = markupParser({
  name: "latex",
  mimeTypes: ["application/x-tex", "text/x-tex", "application/x-latex"],
  extensions: ["tex", "latex", "ltx"],
  async read(list, text) {
    const [{ latexPlain }, { LatexReader }, { readLatex }] = await Promise.all([
      import("./inline.js"),
      import("./to-blocks.js"),
      import("./read.js"),
    ]);
    const { body, title, authors, date, includes } = readLatex(text);
    const author = authors === null ? null : latexPlain(authors.replace(/\s*\\and(?![a-zA-Z])\s*/g, ", "));
    if (title !== null) list.heading(1, latexPlain(title));
    if (author !== null) list.add("paragraph", author);
    new LatexReader(list, title === null ? 0 : 1).read(body);
    const metadata = {
      ...(author !== null && { author: author.replace(/\n/g, ", ") }),
      ...(date && { date: latexPlain(date) }),
    };
    return { metadata, includes };
  },
});
