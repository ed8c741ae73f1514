import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { decodeText } from "../shared/charset/decode-text.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { imageOptions } from "../shared/html/image-options.js";

const MIME_TYPE = "application/x-ipynb+json";

/** Parses Jupyter notebooks: text, code with its language, and output. */
export const ipynbParser: Parser = {
  name: "ipynb",
  mimeTypes: [MIME_TYPE],
  extensions: ["ipynb"],
  supportedOptions: PAGELESS_OPTIONS,
  detect: (head) => {
    const text = decodeText(head).text;
    return /^\s*\{/.test(text) && /"cell_type"\s*:/.test(text) && /"cells"\s*:/.test(text);
  },
  async parse(file, options) {
    const [{ readNotebook }, { notebookToBlocks }] = await Promise.all([import("./read.js"), import("./to-blocks.js")]);
    const notebook = readNotebook(decodeText(file.bytes).text);
    if ("error" in notebook) throw invalidFile(file.name, `is not a notebook: ${notebook.error}.`);
    options.signal?.throwIfAborted();
    const list = new BlockList();
    const skippedCounts = notebookToBlocks(list, notebook, imageOptions(options));
    const { title, language, authors } = notebook;
    const metadata = {
      ...(language !== null && { programmingLanguage: language }),
      ...(authors.length > 0 && { author: authors.join(", ") }),
    };
    const warnings = [
      skippedWarnings("An image", skippedCounts.image),
      skippedWarnings("A chart", skippedCounts.chart),
    ].flat();
    return pagelessDocument(list.blocks, MIME_TYPE, { title, metadata, warnings });
  },
};

function skippedWarnings(figure: "An image" | "A chart", count: number): string[] {
  const figures = count === 1 ? figure : `${count} ${figure.replace(/^An? /, "")}s`;
  return count === 0 ? [] : [`${figures} in the outputs could not be read.`];
}
