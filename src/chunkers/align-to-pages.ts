import type { BlockIndex, Part } from "./block-index.js";
import type { PackedChunk } from "./pack.js";
import { pageAt } from "./page-positions.js";

/** A chunk that gives text to the next chunk keeps at least 1/4 of its target size. */
const MIN_FILL_DIVISOR = 4;

/**
 * Ends chunks at page breaks where possible: moves the text of a new page to the next chunk if it fits the target size
 * there. The number of chunks stays the same. Moves nothing into a chunk that begins with a heading, since the chunk
 * would then begin with the end of another section, and nothing between overlapping chunks.
 */
export function alignToPages(index: BlockIndex, chunks: readonly PackedChunk[]): PackedChunk[] {
  const result = [...chunks];
  // Runs backwards: a chunk that has given text to the next chunk has room for text of the previous chunk.
  for (let i = result.length - 2; i >= 0; i--) {
    const moved = moveNextPage(index, result[i]!, result[i + 1]!);
    if (moved !== null) [result[i], result[i + 1]] = moved;
  }
  return result;
}

function moveNextPage(index: BlockIndex, chunk: PackedChunk, next: PackedChunk): [PackedChunk, PackedChunk] | null {
  const { limits, newParts } = chunk;
  const [first] = next.newParts;
  // A block split between the two chunks doesn't fit into one.
  if (limits.overlap > 0 || index.isHeading(first!.block) || newParts.at(-1)!.block === first!.block) return null;
  const splitIndex = newParts.findLastIndex((part, i) => i > 0 && startsPage(index, newParts[i - 1]!, part));
  if (splitIndex === -1 || index.introducesNext(newParts[splitIndex - 1]!.block)) return null;
  const kept = newParts.slice(0, splitIndex);
  const joined = [...newParts.slice(splitIndex), ...next.newParts];
  const countSpanning = (lists: (readonly Part[])[]) => lists.filter((parts) => spansPages(index, parts)).length;
  if (countSpanning([kept, joined]) >= countSpanning([newParts, next.newParts])) return null;
  if (chunkLength(index, kept, limits.target) < limits.target / MIN_FILL_DIVISOR) return null;
  if (chunkLength(index, joined, limits.target) > limits.target) return null;
  return [
    { ...chunk, newParts: kept, parts: kept },
    { ...next, newParts: joined, parts: joined },
  ];
}

function spansPages(index: BlockIndex, parts: readonly Part[]): boolean {
  const [first, last] = [parts[0]!, parts.at(-1)!];
  return pageAt(index.blocks[first.block]!, first.from) !== pageAt(index.blocks[last.block]!, last.to - 1);
}

function startsPage(index: BlockIndex, previous: Part, next: Part): boolean {
  const last = pageAt(index.blocks[previous.block]!, previous.to - 1);
  const first = pageAt(index.blocks[next.block]!, next.from);
  return last !== null && first !== null && last < first;
}

/** Returns the number of characters in a chunk of the given parts, including its breadcrumb. */
function chunkLength(index: BlockIndex, parts: readonly Part[], target: number): number {
  let length = index.breadcrumb(parts[0]!.block, target).length;
  for (const [i, part] of parts.entries()) {
    if (i > 0) length += index.gap(parts[i - 1]!, part).length;
    length += index.length(part, target);
  }
  return length;
}
