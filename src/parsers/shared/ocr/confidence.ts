import type { Block } from "../../../interfaces/block.js";
import { groupBy } from "../../../util/group-by.js";
import { unionOf } from "../../pdf/page/frame.js";
import type { PlacedWord } from "./image-layout.js";
import { confidenceOf } from "./text-lines.js";

/** Below this confidence, most lines contain errors. */
const MIN_RELIABLE_CONFIDENCE = 0.65;

/** Sets the confidence and bounding box of each recognised block to those of its words. */
export function addConfidence(blocks: readonly Block[], words: readonly PlacedWord[]): Block[] {
  const byPage = groupBy(words, ({ page }) => page);
  return blocks.map((block) => {
    const pageWords = block.page === undefined ? undefined : byPage.get(block.page);
    if (pageWords === undefined || block.bbox === undefined) return block;
    const [left, top, right, bottom] = block.bbox;
    const blockWords = pageWords.filter(
      ({ x, y }) => x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1,
    );
    if (blockWords.length === 0) return { ...block, origin: "ocr" };
    const bbox = unionOf(blockWords.map((word) => word.box));
    return { ...block, bbox, confidence: Math.round(confidenceOf(blockWords) * 100) / 100, origin: "ocr" };
  });
}

/** Returns a warning if the recognised text has low confidence; otherwise none. */
export function lowConfidenceWarning(words: readonly PlacedWord[]): string[] {
  const confidence = confidenceOf(words);
  return words.length === 0 || confidence >= MIN_RELIABLE_CONFIDENCE
    ? []
    : [`The recognised text is unreliable: its confidence is only ${Math.round(confidence * 100)} %.`];
}
