import type { Part, Source } from "./source.js";

/**
 * The parts of a document between the places where a delimiter stands in its text. The delimiter itself is left out;
 * it may reach over the blank line between two blocks, as in `"\n\n"`.
 */
export function delimitedParts(source: Source, delimiter: string | null): Part[][] {
  if (delimiter === null || delimiter === "") return [partsBetween(source, 0, 0, Number.POSITIVE_INFINITY).parts];
  const text = source.blocks.map((block) => block.text).join("\n\n");
  const regions: Part[][] = [];
  let block = 0;
  let from = 0;
  while (from <= text.length) {
    const at = text.indexOf(delimiter, from);
    const to = at === -1 ? text.length : at;
    const region = partsBetween(source, block, from, to);
    if (region.parts.length > 0) regions.push(region.parts);
    block = region.next;
    if (at === -1) break;
    from = at + delimiter.length;
  }
  return regions;
}

/** The parts of blocks, from `first` on, that stand in a range of the document's text. */
function partsBetween(source: Source, first: number, from: number, to: number): { parts: Part[]; next: number } {
  const parts: Part[] = [];
  let block = first;
  for (; block < source.blocks.length; block++) {
    const start = source.startOf(block);
    if (start >= to) break;
    const length = source.blocks[block]!.text.length;
    const part =
      from >= start + length ? null : source.part(block, Math.max(0, from - start), Math.min(length, to - start));
    if (part !== null) parts.push(part);
    // The rest of this block belongs to the next region.
    if (start + length > to) break;
  }
  return { parts, next: block };
}
