import type { Block } from "../../../interfaces/block.js";
import { blockGap, blockMarks } from "./block-markdown.js";

/** Renders blocks as Markdown, without a trailing line break. */
export function toMarkdown(blocks: readonly Block[]): string {
  const parts: string[] = [];
  let above: Block | undefined;
  for (const block of blocks) {
    if (above !== undefined) parts.push(blockGap(above, block));
    const { before, after } = blockMarks(block);
    parts.push(before, indentItem(block), after);
    above = block;
  }
  return parts.join("");
}

/** Indents further lines of a list item so that they stay part of it. */
function indentItem(block: Block): string {
  if (block.kind !== "list_item" || !block.text.includes("\n")) return block.text;
  return block.text.replaceAll("\n", `\n${"  ".repeat(block.level ?? 1)}`);
}
