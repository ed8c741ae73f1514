import type { Block } from "../../interfaces/block.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { markdownToBlocks } from "../shared/markup/markdown-to-blocks.js";
import { keepsContent } from "./check-repair.js";
import type { ModelSession } from "./model-session.js";

/** A model would truncate a larger table. */
const MAX_TABLE_CHARS = 20_000;

/** Has a language model move a table's words to the right cells; rejects any answer that fails {@link keepsContent}. */
export async function repairTable(block: Block, session: ModelSession): Promise<Block> {
  const { table, text, picture } = block;
  if (!table || text.length > MAX_TABLE_CHARS) return block;
  const answer = await session.ask(question(text), picture!);
  if (answer === null) return block;
  const repaired = tableIn(answer);
  if (!repaired?.table || !keepsContent(rowsOf(table), rowsOf(repaired.table))) {
    session.rejectEdit();
    return block;
  }
  return { ...block, text: repaired.text, table: repaired.table };
}

function question(text: string): string {
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

function tableIn(answer: string): Block | null {
  const list = new BlockList();
  markdownToBlocks(list, answer.replace(/^```\w*\n|\n```$/g, ""), { addsImages: false });
  return list.blocks.find(({ kind }) => kind === "table") ?? null;
}

function rowsOf({ header, rows }: NonNullable<Block["table"]>): readonly (readonly string[])[] {
  return [header, ...rows];
}
