import type { Block } from "../interfaces/block.js";

/** Markup before and after a part of a block in a chunk. */
export interface BlockMarks {
  readonly before: string;
  readonly after: string;
}

/** The marker of a heading or list item, for its first part only. */
export function markerOf(block: Block): BlockMarks {
  if (block.kind === "heading") return { before: `${"#".repeat(block.level ?? 1)} `, after: "" };
  const indent = "  ".repeat(Math.min(9, Math.max(1, block.level ?? 1)) - 1);
  return { before: `${indent}${block.marker ?? "-"} `, after: "" };
}

/** Markup repeated around every part: the fence of code, the caption and header of a table. */
export function repeatedMarks(blocks: readonly Block[], index: number): BlockMarks {
  const block = blocks[index]!;
  if (block.kind === "code") {
    const fence = fenceFor(block.text);
    return { before: `${fence}${block.language ?? ""}\n`, after: `\n${fence}` };
  }
  const above = blocks[index - 1];
  const caption = above?.kind === "caption" ? `${above.text.trim()}\n\n` : "";
  return { before: caption + block.text.slice(0, tableBodyStart(block.text)), after: "" };
}

/** Start of a pipe table's rows, after the header and the delimiter row; 0 for other text. */
export function tableBodyStart(text: string): number {
  const header = text.indexOf("\n");
  if (header === -1) return 0;
  const dashes = text.indexOf("\n", header + 1);
  const line = text.slice(header + 1, dashes === -1 ? text.length : dashes);
  if (!/^[|:\s-]*-[|:\s-]*$/.test(line)) return 0;
  return dashes === -1 ? text.length : dashes + 1;
}

/** A fence longer than any run of backticks within the code. */
function fenceFor(code: string): string {
  let longest = 2;
  for (const run of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  return "`".repeat(longest + 1);
}
