import { sentenceStarts } from "./sentences.js";
import type { Part, Source } from "./source.js";

const PROSE = new Set(["paragraph", "list_item", "note", "caption", "image"]);

/**
 * The last sentences of a chunk, whole, within `limit` characters, for the next chunk to begin with. Never all of the
 * chunk: it would be there twice, and nothing of it alone.
 */
export function overlapOf(source: Source, own: readonly Part[], limit: number, chunkLimit: number): Part[] {
  const overlap: Part[] = [];
  let room = limit;
  for (let i = own.length - 1; i >= 0; i--) {
    const part = own[i]!;
    const { kind, text } = source.blocks[part.block]!;
    if (!PROSE.has(kind)) break;
    if (overlap.length > 0) room -= source.gap(part, overlap[0]!).length;
    const from = firstFitting(source, part, text, i > 0, room, chunkLimit);
    if (from === null) break;
    const tail = { ...part, from };
    overlap.unshift(tail);
    room -= source.length(tail, chunkLimit);
    if (from !== part.from) break;
  }
  return overlap;
}

/** The earliest sentence of a part from which on all of it fits; its own start only where that may be taken. */
function firstFitting(
  source: Source,
  part: Part,
  text: string,
  mayTakeAll: boolean,
  room: number,
  chunkLimit: number,
): number | null {
  if (room <= 0) return null;
  if (mayTakeAll && source.length(part, chunkLimit) <= room) return part.from;
  const from = Math.max(part.from, part.to - room);
  const starts = sentenceStarts(text, from, part.to);
  // A search that begins within the part sees its first sentence cut: the first start it finds is the next one.
  return starts.find((at) => at > part.from && at < part.to) ?? null;
}
