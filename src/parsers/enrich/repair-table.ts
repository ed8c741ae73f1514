import type { Block } from "../../interfaces/block.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { markdownToBlocks } from "../shared/markup/markdown-to-blocks.js";
import { preservesWords } from "./check-repair.js";
import type { ModelSession } from "./model-session.js";

/** The maximum size of a table to repair. A model would truncate larger tables. */
const MAX_TABLE_CHARS = 20_000;

/**
 * Asks a language model to move a table's words to the right cells. Ignores answers that fail {@link preservesWords}.
 */
export async function repairTable(block: Block, session: ModelSession): Promise<Block> {
  const { table, text, readImage, continues = [] } = block;
  // The picture shows one page only.
  if (!table || continues.length > 0 || text.length > MAX_TABLE_CHARS) return block;
  const answer = await session.ask(repairPrompt(text), readImage!);
  if (answer === null) return block;
  const repaired = firstTable(answer);
  if (!repaired?.table || !preservesWords(rowsOf(table), rowsOf(repaired.table))) {
    session.countRejectedEdit();
    return block;
  }
  const { rowBoxes: _, ...rest } = block;
  return { ...rest, text: repaired.text, table: repaired.table };
}

function repairPrompt(text: string): string {
  return [
    "The picture shows a table. Below are its words as they were read, but some may stand in wrong columns, and a " +
      "row of several lines may have become several rows.",
    "Answer with the table as a Markdown pipe table and nothing else: one row for each row of the picture, one " +
      "column for each of its columns, the header in the first row.",
    "Use every word below exactly as often as it stands there, spelled as it is there and in the same order. " +
      "Change, add and leave out nothing.",
    "",
    text,
  ].join("\n");
}

function firstTable(answer: string): Block | null {
  const list = new BlockList();
  markdownToBlocks(list, answer.replace(/^```\w*\n|\n```$/g, ""), { addsImages: false });
  return list.blocks.find(({ kind }) => kind === "table") ?? null;
}

function rowsOf({ header, rows }: NonNullable<Block["table"]>): readonly (readonly string[])[] {
  return [header, ...rows];
}
