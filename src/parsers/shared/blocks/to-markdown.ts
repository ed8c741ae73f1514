import type { Block } from "../../../interfaces/block.js";
import { fenceFor } from "../../../util/fence-for.js";

/** Renders blocks as Markdown, without a trailing line break. */
export function toMarkdown(blocks: readonly Block[]): string {
  const parts: string[] = [];
  let previous: Block | undefined;
  for (const block of blocks) {
    const isSameList = previous?.kind === "list_item" && block.kind === "list_item";
    if (previous !== undefined) parts.push(isSameList ? "\n" : "\n\n");
    parts.push(...markdownOf(block));
    previous = block;
  }
  return parts.join("");
}

/** Returns the Markdown of a block in pieces, so that large texts are not copied. */
function markdownOf({ kind, text, level = 1, marker = "-", language = "" }: Block): string[] {
  if (kind === "heading") return [`${"#".repeat(level)} `, text];
  if (kind === "list_item") {
    // Further lines are indented so that they stay part of the item.
    const indented = text.includes("\n") ? text.replaceAll("\n", `\n${"  ".repeat(level)}`) : text;
    return [`${"  ".repeat(Math.min(level, 9) - 1)}${marker} `, indented];
  }
  if (kind !== "code") return [text];
  const fence = fenceFor(text);
  return [`${fence}${language}\n`, text, `\n${fence}`];
}
