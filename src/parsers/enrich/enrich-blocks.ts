import { createHash } from "node:crypto";
import type { Block } from "../../interfaces/block.js";
import type { GenerateText } from "../../interfaces/language-model.js";
import type { ParseConfig, ParsedDocument, ParseOptions } from "../../interfaces/parser.js";
import { getOrCreate } from "../../util/get-or-create.js";
import { mapConcurrent } from "../../util/map-concurrent.js";
import { readImageSize } from "../image/image-header.js";
import { describeImage } from "./describe-image.js";
import { ModelSession } from "./model-session.js";
import { repairTable } from "./repair-table.js";

const MAX_CONCURRENT_QUESTIONS = 4;
/**
 * The minimum length in pixels of the shorter side of an image to describe. Smaller images are bullets, rules and
 * icons.
 */
const MIN_SIDE_PIXELS = 32;

export type EnrichedBlocks = Pick<ParsedDocument, "blocks" | "warnings">;

/**
 * Asks a language model for captions of the distinct images of a document, and to move misplaced words in tables that
 * were detected from the layout. Failures become warnings.
 *
 * @throws Retryable errors of the model, so that the document is processed later rather than without the model.
 */
export async function enrichBlocks(
  blocks: readonly Block[],
  ask: GenerateText,
  { config = {}, signal }: ParseOptions,
): Promise<EnrichedBlocks> {
  const session = new ModelSession(ask, signal);
  const positionGroups = await groupRepeated(blocks, config, session);
  const replacements = new Map<number, readonly Block[]>();
  await mapConcurrent(positionGroups, MAX_CONCURRENT_QUESTIONS, async (positions) => {
    const [first] = positions as [number];
    const block = blocks[first]!;
    if (block.kind === "table") {
      const { text, table } = await repairTable(block, session);
      for (const at of positions) replacements.set(at, [{ ...blocks[at]!, text, ...(table && { table }) }]);
    } else {
      const caption = await describeImage(block, { session, config, textBefore: textBefore(blocks, first) });
      if (caption) replacements.set(first, [block, caption]);
    }
  });
  return {
    blocks: blocks.flatMap((block, at) => replacements.get(at) ?? block),
    warnings: session.warnings(),
  };
}

/** Groups the positions of images and tables to ask about: repeated images and tables are asked about only once. */
async function groupRepeated(
  blocks: readonly Block[],
  config: ParseConfig,
  session: ModelSession,
): Promise<readonly (readonly number[])[]> {
  const positions = new Map<string, number[]>();
  for (const [at, { kind, text, readImage }] of blocks.entries()) {
    if (readImage === undefined || !isEnrichable(kind, config)) continue;
    const bytes = await session.read(readImage);
    if (bytes === null) continue;
    const size = kind === "image" ? readImageSize(bytes) : null;
    if (size !== null && Math.min(size.width, size.height) < MIN_SIDE_PIXELS) continue;
    const digest = createHash("sha256").update(bytes).digest("base64");
    const key = kind === "table" ? `${digest} ${text}` : digest;
    getOrCreate(positions, key, () => []).push(at);
  }
  return [...positions.values()];
}

function isEnrichable(kind: Block["kind"], { disableImageExtraction, disableImageCaptions }: ParseConfig): boolean {
  return kind === "table" || (kind === "image" && disableImageExtraction !== true && disableImageCaptions !== true);
}

/**
 * Returns the nearest paragraph before a block, which shows the model the topic and language of the document, or an
 * empty string if none of the eight blocks before is a paragraph.
 */
function textBefore(blocks: readonly Block[], at: number): string {
  const nearest = blocks
    .slice(Math.max(0, at - 8), at)
    .findLast(({ kind, text }) => kind === "paragraph" && text !== "");
  return nearest?.text ?? "";
}
