import type { Block } from "../../../interfaces/block.js";
import { htmlBlocks } from "../html/html-blocks.js";
import { type HtmlParent, parseHtml } from "../html/html-tree.js";
import { keepMainContent } from "./keep-main-content.js";

/**
 * The blocks of a page's main content, once for each way to treat its images. A page that is furniture through and
 * through is read like any other. What is not its main content is taken out of the document.
 *
 * @param html What the document was parsed from.
 */
export function mainContentBlocks(
  html: string,
  document: HtmlParent,
  images: readonly boolean[],
): readonly (readonly Block[])[] {
  keepMainContent(document);
  let whole: HtmlParent | null = null;
  return images.map((image) => {
    const blocks = htmlBlocks(document, { images: image });
    if (blocks.some(isText)) return blocks;
    whole ??= parseHtml(html);
    return htmlBlocks(whole, { images: image });
  });
}

function isText({ kind }: Block): boolean {
  return kind !== "page_header" && kind !== "page_footer";
}
