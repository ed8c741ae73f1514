import type { BlockIndex, Part } from "./block-index.js";
import { sentenceStarts } from "./sentences.js";

const PROSE_KINDS = new Set(["paragraph", "list_item", "note", "caption", "image"]);

/**
 * Returns the last whole sentences of a chunk, up to `limit` characters, for the next chunk to repeat. Never returns
 * the whole chunk, since the next chunk would then contain all of it.
 */
export function lastSentences(index: BlockIndex, parts: readonly Part[], limit: number, chunkLimit: number): Part[] {
  const overlap: Part[] = [];
  let room = limit;
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i]!;
    const { kind, text } = index.blocks[part.block]!;
    if (!PROSE_KINDS.has(kind)) break;
    if (overlap.length > 0) room -= index.gap(part, overlap[0]!).length;
    const from = findEarliestStart(index, part, text, i > 0, room, chunkLimit);
    if (from === null) break;
    const tail = { ...part, from };
    overlap.unshift(tail);
    room -= index.length(tail, chunkLimit);
    if (from !== part.from) break;
  }
  return overlap;
}

/** Returns the first sentence start from which the rest of the part fits; the part's own start only if `mayTakeAll`. */
function findEarliestStart(
  index: BlockIndex,
  part: Part,
  text: string,
  mayTakeAll: boolean,
  room: number,
  chunkLimit: number,
): number | null {
  if (room <= 0) return null;
  if (mayTakeAll && index.length(part, chunkLimit) <= room) return part.from;
  const from = Math.max(part.from, part.to - room);
  const starts = sentenceStarts(text, from, part.to);
  // `from` may be inside a sentence, but `sentenceStarts` returns only sentences that start after it.
  return starts.find((at) => at > part.from && at < part.to) ?? null;
}
