import type { ChunkDraft } from "../interfaces/chunker.js";
import type { PackedChunk } from "./pack.js";
import type { Source } from "./source.js";

/** A packed chunk as it is stored, but for its tokens. */
export function assemble(source: Source, chunk: PackedChunk): Omit<ChunkDraft, "tokens"> {
  const { parts, own, limits } = chunk;
  let text = "";
  for (const [i, part] of parts.entries()) {
    if (i > 0) text += source.gap(parts[i - 1]!, part);
    text += source.render(part, limits.target);
  }
  const first = own[0]!;
  const last = parts.at(-1)!;
  const block = source.blocks[first.block]!;
  // A chunk that opens with its section's heading belongs to that section, not to the one above.
  const body = own.map((part) => source.blocks[part.block]!).find(({ kind }) => kind !== "heading") ?? block;
  return {
    text,
    indexText: source.crumb(first.block, limits.target) + text,
    headings: body.headingPath,
    page: block.page ?? null,
    start: source.startOf(parts[0]!.block) + parts[0]!.from,
    end: source.startOf(last.block) + last.to,
  };
}
