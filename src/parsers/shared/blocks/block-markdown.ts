import type { Block } from "../../../interfaces/block.js";

/** Markup before and after a block's text in Markdown. */
export interface BlockMarks {
  readonly before: string;
  readonly after: string;
}

const NO_MARKS: BlockMarks = { before: "", after: "" };

/** The outer markup of a block in Markdown: `## ` of a heading, `- ` of a list item, the fence of code. */
export function blockMarks(block: Block): BlockMarks {
  if (block.kind === "heading") return { before: `${"#".repeat(block.level ?? 1)} `, after: "" };
  if (block.kind === "list_item") {
    return { before: `${"  ".repeat(Math.min(block.level ?? 1, 9) - 1)}${block.marker ?? "-"} `, after: "" };
  }
  if (block.kind === "code") {
    const fence = fenceFor(block.text);
    return { before: `${fence}${block.language ?? ""}\n`, after: `\n${fence}` };
  }
  return NO_MARKS;
}

/** The separator of two blocks in Markdown: items of one list follow line by line. */
export function blockGap(above: Block, below: Block): string {
  return above.kind === "list_item" && below.kind === "list_item" ? "\n" : "\n\n";
}

/** A fence longer than any run of backticks within the code. */
function fenceFor(code: string): string {
  let longest = 2;
  for (const run of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  return "`".repeat(longest + 1);
}
