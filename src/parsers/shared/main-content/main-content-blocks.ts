import type { Block } from "../../../interfaces/block.js";
import { htmlBlocks } from "../html/html-to-blocks.js";
import { type HtmlParent, parseHtml } from "../html/html-tree.js";
import { keepMainContent } from "./keep-main-content.js";

/**
 * The blocks of a page's main content, once for each way to treat its images. If the main content has no text, the
 * whole page is read. Removes everything else from the document.
 *
 * @param html The source of the document.
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
    if (blocks.some(({ kind }) => kind !== "page_header" && kind !== "page_footer")) return blocks;
    whole ??= parseHtml(html);
    return htmlBlocks(whole, { images: image });
  });
}
