import { createHash } from "node:crypto";
import type { Block } from "../../interfaces/block.js";
import type { AskModel } from "../../interfaces/language-model.js";
import type { ParseConfig, ParseOptions } from "../../interfaces/parser.js";
import { mapConcurrent } from "../../util/map-concurrent.js";
import { pictureSize } from "../image/picture-size.js";
import { describePicture } from "./describe-picture.js";
import { Interview } from "./interview.js";
import { repairTable } from "./repair-table.js";

const QUESTIONS_AT_ONCE = 4;
/** Pictures that are smaller on their shorter side, in pixels, are taken for decoration: bullets, rules, icons. */
const MIN_SIDE = 32;

export interface RefinedBlocks {
  readonly blocks: readonly Block[];
  readonly warnings: readonly string[];
}

/**
 * Has a language model describe the pictures of a document, each where it stands first, in captions of their own, and
 * put the words of tables that were read off a layout into the cells where the page has them. What it cannot do is told
 * in warnings.
 *
 * @throws what asking fails with where asking again may help: the document had better wait than be without
 */
export async function refineBlocks(
  blocks: readonly Block[],
  ask: AskModel,
  { config = {}, signal }: ParseOptions,
): Promise<RefinedBlocks> {
  const interview = new Interview(ask, signal);
  const asked = await distinct(blocks, config, interview);
  const replaced = new Map<number, readonly Block[]>();
  await mapConcurrent(asked, QUESTIONS_AT_ONCE, async (places) => {
    const [first] = places as [number];
    const block = blocks[first]!;
    if (block.kind === "table") {
      const { text, table } = await repairTable(block, interview);
      for (const at of places) replaced.set(at, [{ ...blocks[at]!, text, ...(table && { table }) }]);
    } else {
      const caption = await describePicture(block, { interview, config, before: textBefore(blocks, first) });
      if (caption) replaced.set(first, [block, caption]);
    }
  });
  return {
    blocks: blocks.flatMap((block, at) => replaced.get(at) ?? block),
    warnings: interview.warnings(),
  };
}

/** The places of each picture and each table that is asked about: those of equal ones together. */
async function distinct(
  blocks: readonly Block[],
  config: ParseConfig,
  interview: Interview,
): Promise<readonly (readonly number[])[]> {
  const places = new Map<string, number[]>();
  for (const [at, { kind, text, picture }] of blocks.entries()) {
    if (picture === undefined || !isAskedAbout(kind, config)) continue;
    const bytes = await interview.read(picture);
    if (bytes === null) continue;
    const size = kind === "image" ? pictureSize(bytes) : null;
    if (size !== null && Math.min(size.width, size.height) < MIN_SIDE) continue;
    const digest = createHash("sha256").update(bytes).digest("base64");
    const key = kind === "table" ? `${digest} ${text}` : digest;
    const known = places.get(key);
    if (known) known.push(at);
    else places.set(key, [at]);
  }
  return [...places.values()];
}

function isAskedAbout(kind: Block["kind"], { disableImageExtraction, disableImageCaptions }: ParseConfig): boolean {
  return kind === "table" || (kind === "image" && disableImageExtraction !== true && disableImageCaptions !== true);
}

/** The nearest text above, which tells a describer what the document is about and in which language it is written. */
function textBefore(blocks: readonly Block[], at: number): string {
  const nearest = blocks
    .slice(Math.max(0, at - 8), at)
    .findLast(({ kind, text }) => kind === "paragraph" && text !== "");
  return nearest?.text ?? "";
}
