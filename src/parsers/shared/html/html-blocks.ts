import type { Block } from "../../../interfaces/block.js";
import { BlockList } from "../blocks/block-list.js";
import type { ImageOptions } from "./find-picture.js";
import { htmlToBlocks } from "./html-to-blocks.js";
import type { HtmlParent } from "./html-tree.js";

/** The blocks of a whole page, with its header, footer and navigation separated from its text. */
export function htmlBlocks(page: HtmlParent, options: ImageOptions): readonly Block[] {
  const list = new BlockList();
  htmlToBlocks(list, page, { ...options, chrome: true });
  return list.blocks;
}
