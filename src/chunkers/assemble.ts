import type { Block } from "../interfaces/block.js";
import type { ChunkDraft } from "../interfaces/chunker.js";
import type { BlockIndex, Part } from "./block-index.js";
import { cellPositions } from "./cell-positions.js";
import type { PackedChunk } from "./pack.js";
import { type ChunkPart, pageAt, pagePositions } from "./page-positions.js";

/** Turns a packed chunk into a draft without a token count. */
export function assemble(index: BlockIndex, chunk: PackedChunk): Omit<ChunkDraft, "tokens"> {
  const { parts, newParts, limits } = chunk;
  let text = "";
  const positioned: ChunkPart[] = [];
  for (const [i, part] of parts.entries()) {
    if (i > 0) text += index.gap(parts[i - 1]!, part);
    const start = text.length + index.markup(part, limits.target).before.length;
    positioned.push({ block: index.blocks[part.block]!, part, start });
    text += index.render(part, limits.target);
  }
  const first = newParts[0]!;
  const last = parts.at(-1)!;
  const page = pageAt(index.blocks[first.block]!, first.from);
  return {
    text,
    indexText: index.breadcrumb(first.block, limits.target) + text,
    headings: [...commonHeadings(newParts.map((part) => index.blocks[part.block]!)), ...index.captionOf(newParts)],
    page,
    start: index.startOf(parts[0]!.block) + parts[0]!.from,
    end: index.startOf(last.block) + last.to,
    ...tablesOf(newParts.map((part) => index.blocks[part.block]!)),
    ...startSecondsOf(index, parts[0]!),
    ...pagePositions(positioned, page),
    ...cellPositions(index, positioned),
  };
}

/** The maximum number of tables that a chunk names. Only chunks of very small tables have more. */
const MAX_TABLES = 20;

/** Returns the names of the tables among a chunk's blocks; an empty object if none has a name. */
function tablesOf(blocks: readonly Block[]): { tables?: readonly string[] } {
  const names = new Set(blocks.flatMap(({ table }) => table?.name ?? []));
  return names.size === 0 ? {} : { tables: [...names].slice(0, MAX_TABLES) };
}

/** Returns the time at which a part of a transcript begins; an empty object for other text. */
function startSecondsOf(index: BlockIndex, { block, from }: Part): { startSeconds?: number } {
  const seconds = index.blocks[block]!.times?.findLast(([offset]) => offset <= from)?.[1];
  return seconds === undefined ? {} : { startSeconds: seconds };
}

/** Returns the headings that all blocks of a chunk share, ignoring heading blocks unless there are no others. */
function commonHeadings(blocks: readonly Block[]): readonly string[] {
  const bodies = blocks.filter(({ kind }) => kind !== "heading");
  const [first, ...rest] = bodies.length > 0 ? bodies : blocks;
  let shared = first!.headingPath;
  for (const { headingPath } of rest) {
    const firstDifference = shared.findIndex((heading, depth) => heading !== headingPath[depth]);
    if (firstDifference >= 0) shared = shared.slice(0, firstDifference);
  }
  return shared;
}
