import type { PackedChunk } from "./pack.js";
import { pageAt } from "./places.js";
import type { Part, Source } from "./source.js";

/** A chunk keeps at least one part in this many of its target. */
const LEAST_SHARE = 4;

/**
 * Ends chunks with a page where that costs nothing: what a chunk has of the next page goes to the chunk after it, if that has room for it
 * within its target. There are as many chunks as before. Nothing is moved to a chunk that begins with a heading, which would then begin with the
 * end of another section, nor where chunks overlap.
 */
export function endWithPages(source: Source, chunks: readonly PackedChunk[]): PackedChunk[] {
  const settled = [...chunks];
  // From the last one on: a chunk that has given something away has room for more.
  for (let i = settled.length - 2; i >= 0; i--) {
    const moved = moveNextPage(source, settled[i]!, settled[i + 1]!);
    if (moved !== null) [settled[i], settled[i + 1]] = moved;
  }
  return settled;
}

function moveNextPage(source: Source, chunk: PackedChunk, next: PackedChunk): [PackedChunk, PackedChunk] | null {
  const { limits, own } = chunk;
  const [first] = next.own;
  // A block that was cut between the two has no room in one.
  if (limits.overlap > 0 || source.isHeading(first!.block) || own.at(-1)!.block === first!.block) return null;
  const at = own.findLastIndex((part, i) => i > 0 && startsPage(source, own[i - 1]!, part));
  if (at === -1 || source.leadsOn(own[at - 1]!.block)) return null;
  const kept = own.slice(0, at);
  const joined = [...own.slice(at), ...next.own];
  const spanning = (lists: readonly (readonly Part[])[]) => lists.filter((parts) => isOnSeveral(source, parts)).length;
  if (spanning([kept, joined]) >= spanning([own, next.own])) return null;
  if (lengthOf(source, kept, limits.target) < limits.target / LEAST_SHARE) return null;
  if (lengthOf(source, joined, limits.target) > limits.target) return null;
  return [
    { ...chunk, own: kept, parts: kept },
    { ...next, own: joined, parts: joined },
  ];
}

/** Whether parts stand on several pages. */
function isOnSeveral(source: Source, parts: readonly Part[]): boolean {
  const [first, last] = [parts[0]!, parts.at(-1)!];
  return pageAt(source.blocks[first.block]!, first.from) !== pageAt(source.blocks[last.block]!, last.to - 1);
}

function startsPage(source: Source, above: Part, below: Part): boolean {
  const last = pageAt(source.blocks[above.block]!, above.to - 1);
  const first = pageAt(source.blocks[below.block]!, below.from);
  return last !== null && first !== null && last < first;
}

/** Characters that parts take as one chunk, its breadcrumb included. */
function lengthOf(source: Source, parts: readonly Part[], target: number): number {
  let length = source.crumb(parts[0]!.block, target).length;
  for (const [i, part] of parts.entries()) {
    if (i > 0) length += source.gap(parts[i - 1]!, part).length;
    length += source.length(part, target);
  }
  return length;
}
