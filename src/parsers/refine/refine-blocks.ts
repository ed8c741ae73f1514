import type { Block } from "../../interfaces/block.js";
import type { AskModel } from "../../interfaces/language-model.js";
import type { ParseOptions } from "../../interfaces/parser.js";
import { sideBySide } from "../../side-by-side.js";
import { describePicture } from "./describe-picture.js";
import { Interview } from "./interview.js";
import { repairTable } from "./repair-table.js";

const QUESTIONS_AT_ONCE = 4;

export interface RefinedBlocks {
  readonly blocks: readonly Block[];
  readonly warnings: readonly string[];
}

/**
 * Has a language model describe the pictures of a document, each once, in captions of their own, and put the words of tables that were
 * read off a layout into the cells where the page has them. What it cannot do is told in warnings.
 *
 * @throws what asking fails with where asking again may help: the document had better wait than be without
 */
export async function refineBlocks(
  blocks: readonly Block[],
  ask: AskModel,
  { config = {}, signal }: ParseOptions,
): Promise<RefinedBlocks> {
  const interview = new Interview(ask, signal);
  const asked = blocks.flatMap((block, at) => (block.picture && isAskedAbout(block, config) ? [at] : []));
  const answers = await sideBySide(asked, QUESTIONS_AT_ONCE, async (at): Promise<readonly Block[]> => {
    const block = blocks[at]!;
    if (block.kind === "table") return [await repairTable(block, interview)];
    const caption = await describePicture(block, { interview, config, before: textBefore(blocks, at) });
    return caption === null ? [block] : [block, caption];
  });
  const replaced = new Map(asked.map((at, index) => [at, answers[index]!]));
  return { blocks: blocks.flatMap((block, at) => replaced.get(at) ?? block), warnings: interview.warnings() };
}

function isAskedAbout({ kind }: Block, { disableImageCaptions }: NonNullable<ParseOptions["config"]>): boolean {
  return kind === "table" || (kind === "image" && disableImageCaptions !== true);
}

/** The nearest text above, which tells a describer what the document is about and in which language it is written. */
function textBefore(blocks: readonly Block[], at: number): string {
  const nearest = blocks
    .slice(Math.max(0, at - 8), at)
    .findLast(({ kind, text }) => kind === "paragraph" && text !== "");
  return nearest?.text ?? "";
}
