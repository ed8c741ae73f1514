import type { Block } from "../interfaces/block.js";
import type { Parser } from "../interfaces/parser.js";
import { BlockList } from "./block-list.js";
import { decodeText } from "./decode-text.js";
import type { HtmlParent } from "./html-tree.js";
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
    const [{ parseHtml }, { htmlToBlocks }, { htmlMetadata }] = await Promise.all([
      import("./html-tree.js"),
      import("./html-to-blocks.js"),
      import("./html-metadata.js"),
    ]);
    const { text } = await readText(file.bytes);
    options.signal?.throwIfAborted();
    const read = (page: HtmlParent): readonly Block[] => {
      const list = new BlockList();
      htmlToBlocks(list, page, { images: options.config?.disableImageExtraction !== true, chrome: true });
      return list.blocks;
    };
    const document = parseHtml(text);
    const { title, metadata } = htmlMetadata(document);
    if (options.mainContent === true) (await import("./main-content/keep-main-content.js")).keepMainContent(document);
    let blocks = read(document);
    // A page that is furniture through and through is read like any other.
    if (options.mainContent === true && !blocks.some(isText)) blocks = read(parseHtml(text));
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

function isText({ kind }: Block): boolean {
  return kind !== "page_header" && kind !== "page_footer";
}
