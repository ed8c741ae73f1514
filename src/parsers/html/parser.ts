import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { decodeText } from "../shared/charset/decode-text.js";
import { readText } from "../shared/charset/read-text.js";
import { imageOptions } from "../shared/html/image-options.js";

/** Parses web pages: reads their visible text, without scripts, navigation and form controls. */
export const htmlParser: Parser = {
  name: "html",
  mimeTypes: ["text/html", "application/xhtml+xml"],
  extensions: ["html", "htm", "xhtml"],
  supportedOptions: PAGELESS_OPTIONS,
  detect: (head) =>
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i.test(decodeText(head).text),
  async parse(file, options) {
    const [{ parseHtml }, { htmlMetadata }] = await Promise.all([
      import("../shared/html/html-tree.js"),
      import("../shared/html/html-metadata.js"),
    ]);
    const { text } = await readText(file.bytes);
    options.signal?.throwIfAborted();
    const document = parseHtml(text);
    const { title, metadata } = htmlMetadata(document);
    const images = imageOptions(options);
    const blocks =
      options.mainContent === true
        ? (await import("../shared/main-content/main-content-blocks.js")).mainContentBlocks(text, document, [
            images.addsImages,
          ])[0]!
        : (await import("../shared/html/html-to-blocks.js")).htmlBlocks(document, images);
    return pagelessDocument(blocks, "text/html", { title, metadata });
  },
};
