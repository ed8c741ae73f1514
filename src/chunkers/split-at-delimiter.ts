import type { BlockIndex, Part } from "./block-index.js";

/**
 * Splits a document's text at a delimiter, which is removed. The delimiter may include the blank line between two
 * blocks, as in `"\n\n"`.
 */
export function splitAtDelimiter(index: BlockIndex, delimiter: string | null): Part[][] {
  if (delimiter === null || delimiter === "") return [partsBetween(index, 0, 0, Number.POSITIVE_INFINITY).parts];
  const text = index.blocks.map((block) => block.text).join("\n\n");
  const regions: Part[][] = [];
  let block = 0;
  let from = 0;
  while (from <= text.length) {
    const delimiterStart = text.indexOf(delimiter, from);
    const to = delimiterStart === -1 ? text.length : delimiterStart;
    const region = partsBetween(index, block, from, to);
    if (region.parts.length > 0) regions.push(region.parts);
    block = region.next;
    if (delimiterStart === -1) break;
    from = delimiterStart + delimiter.length;
  }
  return regions;
}

/** The parts of blocks, from block `first` on, within a range of the document's text. */
function partsBetween(index: BlockIndex, first: number, from: number, to: number): { parts: Part[]; next: number } {
  const parts: Part[] = [];
  let block = first;
  for (; block < index.blocks.length; block++) {
    const start = index.startOf(block);
    if (start >= to) break;
    const length = index.blocks[block]!.text.length;
    const part =
      from >= start + length ? null : index.part(block, Math.max(0, from - start), Math.min(length, to - start));
    if (part !== null) parts.push(part);
    // The rest of this block belongs to the next region.
    if (start + length > to) break;
  }
  return { parts, next: block };
}
