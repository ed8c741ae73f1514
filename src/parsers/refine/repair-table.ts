import type { Block } from "../../interfaces/block.js";
import { BlockList } from "../block-list.js";
import { markdownToBlocks } from "../markdown-to-blocks.js";
import type { Interview } from "./interview.js";

/**
 * A table with its words in the cells where a language model sees them. A repair moves words and changes none: an answer that has not
 * the very words of the table leaves it as it is.
 */
export async function repairTable(block: Block, interview: Interview): Promise<Block> {
  const picture = await interview.show(block.picture!);
  const answer = picture && (await interview.ask(question(block), picture));
  if (!answer) return block;
  const repaired = tableIn(answer);
  if (repaired === null || words(repaired) !== words(block)) {
    interview.reworded();
    return block;
  }
  return { ...block, text: repaired.text, table: repaired.table! };
}

function question({ text }: Block): string {
  return [
    "The picture shows a table. Below are its words as they were read, but some may stand in wrong rows or columns.",
    "Answer with the table as a Markdown pipe table and nothing else: one row for each row of the picture, one column for each of its columns, the header in the first row.",
    "Use every word below exactly as often as it stands there, spelled as it is there. Change, add and leave out nothing.",
    "",
    text,
  ].join("\n");
}

function tableIn(answer: string): Block | null {
  const list = new BlockList();
  markdownToBlocks(list, answer.replace(/^```\w*\n|\n```$/g, ""), { images: false });
  return list.blocks.find(({ kind }) => kind === "table") ?? null;
}

/** All that stands in a table's cells, whatever the cells. */
function words({ table }: Block): string {
  const cells = [table!.header, ...table!.rows].flat();
  const all = cells.flatMap((cell) => cell.normalize("NFKC").replaceAll("\\|", "|").split(/\s+/));
  return all
    .filter((word) => word !== "")
    .sort()
    .join(" ");
}
