import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { firstHeading } from "../shared/blocks/first-heading.js";
import { readText } from "../shared/charset/read-text.js";
import { includeWarnings } from "../shared/markup/include-warnings.js";

const MIME_TYPE = "application/x-tex";

/** LaTeX: sections, lists, tables and formulas; macros are not expanded, files that are read in are not followed. */
export const latexParser: Parser = {
  name: "latex",
  mimeTypes: [MIME_TYPE, "text/x-tex", "application/x-latex"],
  extensions: ["tex", "latex", "ltx"],
  honours: PAGELESS_OPTIONS,
  async parse(file, options) {
    const [{ latexPlain }, { LatexReader }, { readLatex }] = await Promise.all([
      import("./inline.js"),
      import("./to-blocks.js"),
      import("./read.js"),
    ]);
    const { text } = await readText(file.bytes);
    const { body, title, authors, date, includes } = readLatex(text);
    const author = authors === null ? null : latexPlain(authors.replace(/\s*\\and(?![a-zA-Z])\s*/g, ", "));
    options.signal?.throwIfAborted();
    const list = new BlockList();
    if (title !== null) list.heading(1, latexPlain(title));
    if (author !== null) list.add("paragraph", author);
    new LatexReader(list, title === null ? 0 : 1).read(body);
    return {
      blocks: list.blocks,
      title: firstHeading(list.blocks),
      mimeType: MIME_TYPE,
      pages: null,
      metadata: {
        ...(author === null ? {} : { author: author.replace(/\n/g, ", ") }),
        ...(date === null || date === "" ? {} : { date: latexPlain(date) }),
      },
      warnings: includeWarnings(includes),
    };
  },
};
