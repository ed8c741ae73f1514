import type { Parser } from "../interfaces/parser.js";
import { decodeText } from "./decode-text.js";
import { imageOptions } from "./find-picture.js";
import { PAGELESS_SWITCHES } from "./pageless-switches.js";
import { readText } from "./read-text.js";

/** Web pages: what a reader reads, without scripts, navigation and controls. */
export const htmlParser: Parser = {
  name: "html",
  mimeTypes: ["text/html", "application/xhtml+xml"],
  extensions: ["html", "htm", "xhtml"],
  honours: PAGELESS_SWITCHES,
  detect: (head) =>
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i.test(decodeText(head).text),
  async parse(file, options) {
    const [{ parseHtml }, { htmlMetadata }] = await Promise.all([
      import("./html-tree.js"),
      import("./html-metadata.js"),
    ]);
    const { text } = await readText(file.bytes);
    options.signal?.throwIfAborted();
    const document = parseHtml(text);
    const { title, metadata } = htmlMetadata(document);
    const images = imageOptions(options);
    const blocks =
      options.mainContent === true
        ? (await import("./main-content/main-content-blocks.js")).mainContentBlocks(text, document, [images.images])[0]!
        : (await import("./html-blocks.js")).htmlBlocks(document, images);
    const firstHeading = blocks.find((block) => block.kind === "heading")?.text ?? null;
    return {
      blocks,
      title: title ?? firstHeading,
      mimeType: "text/html",
      pages: null,
      metadata,
      warnings: [],
    };
  },
};
