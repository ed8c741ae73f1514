import type { Block } from "../../../interfaces/block.js";
import { unionOf } from "../../pdf/frame.js";
import type { PlacedWord } from "./picture-layout.js";

/** Adds to each block of a recognised page the confidence of its words and their bounding box. */
export function addConfidence(blocks: readonly Block[], words: readonly PlacedWord[]): Block[] {
  const byPage = grouped(words);
  return blocks.map((block) => {
    const onPage = block.page === undefined ? undefined : byPage.get(block.page);
    if (onPage === undefined || block.bbox === undefined) return block;
    const [left, top, right, bottom] = block.bbox;
    const own = onPage.filter(({ x, y }) => x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1);
    if (own.length === 0) return { ...block, origin: "ocr" };
    const letters = own.reduce((sum, word) => sum + word.length, 0);
    const sure = own.reduce((sum, word) => sum + word.length * word.confidence, 0) / letters;
    return {
      ...block,
      bbox: unionOf(own.map((word) => word.box)),
      confidence: Math.round(sure * 100) / 100,
      origin: "ocr",
    };
  });
}

function grouped(words: readonly PlacedWord[]): Map<number, PlacedWord[]> {
  const pages = new Map<number, PlacedWord[]>();
  for (const word of words) {
    const page = pages.get(word.page);
    if (page === undefined) pages.set(word.page, [word]);
    else page.push(word);
  }
  return pages;
}
