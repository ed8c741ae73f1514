import type { BlockIndex, Part } from "./block-index.js";

/**
 * Splits a document's text at a delimiter and removes the delimiter, which may include the blank line between two
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
    block = region.nextBlock;
    if (delimiterStart === -1) break;
    from = delimiterStart + delimiter.length;
  }
  return regions;
}

/** Returns the parts of blocks in a range of the document's text, and the block at which the next range begins. */
function partsBetween(
  index: BlockIndex,
  firstBlock: number,
  from: number,
  to: number,
): { parts: Part[]; nextBlock: number } {
  const parts: Part[] = [];
  let block = firstBlock;
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
  return { parts, nextBlock: block };
}
