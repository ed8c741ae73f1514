import type { Block } from "../interfaces/block.js";
import type { ChunkDraft } from "../interfaces/chunker.js";
import type { PackedChunk } from "./pack.js";
import { type PlacedPart, pageAt, placesOf } from "./places.js";
import type { Part, Source } from "./source.js";

/** A packed chunk as it is stored, but for its tokens. */
export function assemble(source: Source, chunk: PackedChunk): Omit<ChunkDraft, "tokens"> {
  const { parts, own, limits } = chunk;
  let text = "";
  const placed: PlacedPart[] = [];
  for (const [i, part] of parts.entries()) {
    if (i > 0) text += source.gap(parts[i - 1]!, part);
    const start = text.length + source.marks(part, limits.target).before.length;
    placed.push({ block: source.blocks[part.block]!, part, start });
    text += source.render(part, limits.target);
  }
  const first = own[0]!;
  const last = parts.at(-1)!;
  const page = pageAt(source.blocks[first.block]!, first.from);
  return {
    text,
    indexText: source.crumb(first.block, limits.target) + text,
    headings: sharedHeadings(own.map((part) => source.blocks[part.block]!)),
    page,
    start: source.startOf(parts[0]!.block) + parts[0]!.from,
    end: source.startOf(last.block) + last.to,
    ...secondsOf(source, parts[0]!),
    ...placesOf(placed, page),
  };
}

/** When a part of a transcript begins. */
function secondsOf(source: Source, { block, from }: Part): { startSeconds?: number } {
  const seconds = source.blocks[block]!.times?.findLast(([offset]) => offset <= from)?.[1];
  return seconds === undefined ? {} : { startSeconds: seconds };
}

/** The headings above everything in a chunk: its section's own, where it opens with it, but none of one section among several. */
function sharedHeadings(blocks: readonly Block[]): readonly string[] {
  const bodies = blocks.filter(({ kind }) => kind !== "heading");
  const [first, ...rest] = bodies.length > 0 ? bodies : blocks;
  let shared = first!.headingPath;
  for (const { headingPath } of rest) {
    const apart = shared.findIndex((heading, depth) => heading !== headingPath[depth]);
    if (apart >= 0) shared = shared.slice(0, apart);
  }
  return shared;
}
