import type { Block } from "../interfaces/block.js";
import { BlockList } from "./block-list.js";
import { htmlToBlocks } from "./html-to-blocks.js";
import type { HtmlParent } from "./html-tree.js";

/** The blocks of a whole page, its header, footer and navigation told from its text. */
export function htmlBlocks(page: HtmlParent, { images }: { readonly images: boolean }): readonly Block[] {
  const list = new BlockList();
  htmlToBlocks(list, page, { images, chrome: true });
  return list.blocks;
}
