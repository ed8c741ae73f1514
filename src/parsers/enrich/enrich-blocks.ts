import { createHash } from "node:crypto";
import type { Block } from "../../interfaces/block.js";
import type { GenerateText } from "../../interfaces/language-model.js";
import type { ParseConfig, ParsedDocument, ParseOptions } from "../../interfaces/parser.js";
import { getOrCreate } from "../../util/get-or-create.js";
import { mapConcurrent } from "../../util/map-concurrent.js";
import { imageSize } from "../image/image-header.js";
import { describeImage } from "./describe-image.js";
import { ModelSession } from "./model-session.js";
import { repairTable } from "./repair-table.js";

const MAX_CONCURRENT_QUESTIONS = 4;
/** Images with a shorter side below this, in pixels, are decoration: bullets, rules, icons. */
const MIN_SIDE = 32;

export type EnrichedBlocks = Pick<ParsedDocument, "blocks" | "warnings">;

/**
 * Has a language model write captions for the distinct images of a document, and move misplaced words of tables that
 * were detected from the layout to the right cells. Failures become warnings.
 *
 * @throws retryable errors of the model: it is better to process the document later than without the model
 */
export async function enrichBlocks(
  blocks: readonly Block[],
  ask: GenerateText,
  { config = {}, signal }: ParseOptions,
): Promise<EnrichedBlocks> {
  const session = new ModelSession(ask, signal);
  const subjects = await distinctSubjects(blocks, config, session);
  const replaced = new Map<number, readonly Block[]>();
  await mapConcurrent(subjects, MAX_CONCURRENT_QUESTIONS, async (positions) => {
    const [first] = positions as [number];
    const block = blocks[first]!;
    if (block.kind === "table") {
      const { text, table } = await repairTable(block, session);
      for (const at of positions) replaced.set(at, [{ ...blocks[at]!, text, ...(table && { table }) }]);
    } else {
      const caption = await describeImage(block, { session, config, before: textBefore(blocks, first) });
      if (caption) replaced.set(first, [block, caption]);
    }
  });
  return {
    blocks: blocks.flatMap((block, at) => replaced.get(at) ?? block),
    warnings: session.warnings(),
  };
}

/** The positions of each distinct image and table to ask about. */
async function distinctSubjects(
  blocks: readonly Block[],
  config: ParseConfig,
  session: ModelSession,
): Promise<readonly (readonly number[])[]> {
  const positions = new Map<string, number[]>();
  for (const [at, { kind, text, picture }] of blocks.entries()) {
    if (picture === undefined || !isAskedAbout(kind, config)) continue;
    const bytes = await session.read(picture);
    if (bytes === null) continue;
    const size = kind === "image" ? imageSize(bytes) : null;
    if (size !== null && Math.min(size.width, size.height) < MIN_SIDE) continue;
    const digest = createHash("sha256").update(bytes).digest("base64");
    const key = kind === "table" ? `${digest} ${text}` : digest;
    getOrCreate(positions, key, () => []).push(at);
  }
  return [...positions.values()];
}

function isAskedAbout(kind: Block["kind"], { disableImageExtraction, disableImageCaptions }: ParseConfig): boolean {
  return kind === "table" || (kind === "image" && disableImageExtraction !== true && disableImageCaptions !== true);
}

/** The nearest preceding text, which shows the model the topic and language of the document; empty if none is near. */
function textBefore(blocks: readonly Block[], at: number): string {
  const nearest = blocks
    .slice(Math.max(0, at - 8), at)
    .findLast(({ kind, text }) => kind === "paragraph" && text !== "");
  return nearest?.text ?? "";
}
