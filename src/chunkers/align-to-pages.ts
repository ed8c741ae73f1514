import type { BlockIndex, Part } from "./block-index.js";
import type { PackedChunk } from "./pack.js";
import { pageAt } from "./page-positions.js";

/** A chunk keeps at least 1/4 of its target size. */
const MIN_FILL_DIVISOR = 4;

/**
 * Ends chunks at page ends where possible: a chunk's text of the next page moves to the next chunk if that stays within
 * its target. The number of chunks stays the same. Nothing moves to a chunk that begins with a heading, which would
 * then begin with the end of another section, nor between chunks that overlap.
 */
export function alignToPages(index: BlockIndex, chunks: readonly PackedChunk[]): PackedChunk[] {
  const result = [...chunks];
  // From the end: a chunk that has moved text to the next one can take more from the previous one.
  for (let i = result.length - 2; i >= 0; i--) {
    const moved = moveNextPage(index, result[i]!, result[i + 1]!);
    if (moved !== null) [result[i], result[i + 1]] = moved;
  }
  return result;
}

function moveNextPage(index: BlockIndex, chunk: PackedChunk, next: PackedChunk): [PackedChunk, PackedChunk] | null {
  const { limits, own } = chunk;
  const [first] = next.own;
  // A block that was split between the two doesn't fit into one.
  if (limits.overlap > 0 || index.isHeading(first!.block) || own.at(-1)!.block === first!.block) return null;
  const at = own.findLastIndex((part, i) => i > 0 && startsPage(index, own[i - 1]!, part));
  if (at === -1 || index.introducesNext(own[at - 1]!.block)) return null;
  const kept = own.slice(0, at);
  const joined = [...own.slice(at), ...next.own];
  const spanning = (lists: readonly (readonly Part[])[]) => lists.filter((parts) => spansPages(index, parts)).length;
  if (spanning([kept, joined]) >= spanning([own, next.own])) return null;
  if (chunkLength(index, kept, limits.target) < limits.target / MIN_FILL_DIVISOR) return null;
  if (chunkLength(index, joined, limits.target) > limits.target) return null;
  return [
    { ...chunk, own: kept, parts: kept },
    { ...next, own: joined, parts: joined },
  ];
}

function spansPages(index: BlockIndex, parts: readonly Part[]): boolean {
  const [first, last] = [parts[0]!, parts.at(-1)!];
  return pageAt(index.blocks[first.block]!, first.from) !== pageAt(index.blocks[last.block]!, last.to - 1);
}

function startsPage(index: BlockIndex, above: Part, below: Part): boolean {
  const last = pageAt(index.blocks[above.block]!, above.to - 1);
  const first = pageAt(index.blocks[below.block]!, below.from);
  return last !== null && first !== null && last < first;
}

/** Characters of a chunk made of these parts, including its breadcrumb. */
function chunkLength(index: BlockIndex, parts: readonly Part[], target: number): number {
  let length = index.breadcrumb(parts[0]!.block, target).length;
  for (const [i, part] of parts.entries()) {
    if (i > 0) length += index.gap(parts[i - 1]!, part).length;
    length += index.length(part, target);
  }
  return length;
}
