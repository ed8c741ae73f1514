import type { Block } from "../interfaces/block.js";
import { fenceFor } from "../util/fence-for.js";

/** The markup before and after a part of a block in a chunk. */
export interface BlockMarkup {
  readonly before: string;
  readonly after: string;
}

/** Returns the Markdown marker of a heading or list item, which only the first part of the block gets. */
export function markerOf(block: Block): BlockMarkup {
  if (block.kind === "heading") return { before: `${"#".repeat(block.level ?? 1)} `, after: "" };
  const indent = "  ".repeat(Math.min(9, Math.max(1, block.level ?? 1)) - 1);
  return { before: `${indent}${block.marker ?? "-"} `, after: "" };
}

/** Returns the markup repeated around every part of a block: the fence of code, or a table's caption and header. */
export function repeatedMarkup(blocks: readonly Block[], index: number): BlockMarkup {
  const block = blocks[index]!;
  if (block.kind === "code") {
    const fence = fenceFor(block.text);
    return { before: `${fence}${block.language ?? ""}\n`, after: `\n${fence}` };
  }
  const previous = blocks[index - 1];
  const caption = previous?.kind === "caption" ? `${previous.text.trim()}\n\n` : "";
  return { before: caption + block.text.slice(0, tableBodyStart(block.text)), after: "" };
}

/** Returns the offset of a pipe table's first row below the header and delimiter row; 0 for other text. */
export function tableBodyStart(text: string): number {
  const headerEnd = text.indexOf("\n");
  if (headerEnd === -1) return 0;
  const delimiterEnd = text.indexOf("\n", headerEnd + 1);
  const line = text.slice(headerEnd + 1, delimiterEnd === -1 ? text.length : delimiterEnd);
  if (!/^[|:\s-]*-[|:\s-]*$/.test(line)) return 0;
  return delimiterEnd === -1 ? text.length : delimiterEnd + 1;
}
