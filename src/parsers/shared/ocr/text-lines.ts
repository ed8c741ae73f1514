import type { Edges } from "../../pdf/page/frame.js";
import { median } from "../../pdf/page/statistics.js";
import type { RecognisedLine, RecognisedWord } from "./tesseract.js";

/** A recognised word; its edges are in pixels of the image. */
export interface Word extends Edges {
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
}

export interface TextLine {
  readonly words: readonly Word[];
  /** Font size of the line's letters, in pixels of the image. */
  readonly size: number;
  readonly baseline: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
}

/** Words of one or two letters with lower confidence are specks, edges and parts of drawings. */
const MIN_WORD_CONFIDENCE = 0.4;
const MIN_LINE_CONFIDENCE = 0.3;

/** Returns the lines of a recognised image, without noise. */
export function textLines(lines: readonly RecognisedLine[]): TextLine[] {
  return lines.flatMap(({ words, baseline, bbox }) => {
    const kept = words.map(wordOf).filter((word) => isText(word));
    if (kept.length === 0 || confidenceOf(kept) < MIN_LINE_CONFIDENCE) return [];
    const size = sizeOf(kept, baseline) ?? bbox.y1 - bbox.y0;
    return [{ words: kept, size, baseline }];
  });
}

/** Returns the mean confidence of words, weighted by their length; 0 if there are none. */
export function confidenceOf(words: readonly Pick<Word, "text" | "confidence">[]): number {
  const sum = words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0);
  return sum / Math.max(1, characterCount(words));
}

export function characterCount(words: readonly Pick<Word, "text">[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

/** Returns the slope of a line's baseline; positive if the line descends to the right. */
export function slopeOf({ baseline: { x0, y0, x1, y1 } }: Pick<TextLine, "baseline">): number {
  return x1 === x0 ? 0 : (y1 - y0) / (x1 - x0);
}

/** Height of capitals and ascenders, as a share of the font size. */
const TALL_LETTER_RATIO = 0.72;

/** Estimates the font size from the height of capitals, ascenders and digits; returns `null` if there are none. */
function sizeOf(words: readonly Word[], baseline: TextLine["baseline"]): number | null {
  const { x0, y0 } = baseline;
  const slope = slopeOf({ baseline });
  const heights = words
    .filter(({ text }) => /[\p{Lu}\dbdfhkl]/u.test(text))
    .map(({ left, right, top }) => y0 + slope * ((left + right) / 2 - x0) - top)
    .filter((height) => height > 2);
  return heights.length === 0 ? null : median(heights) / TALL_LETTER_RATIO;
}

/** Returns the direction of most words: across (to the right), or up or down in sideways text. */
export function directionOf(lines: readonly Pick<TextLine, "words">[]): "across" | "down" | "up" {
  let acrossCount = 0;
  let downCount = 0;
  let upCount = 0;
  for (const { words } of lines) {
    for (const [i, word] of words.entries()) {
      if (word.text.length < 4) continue;
      if ((word.right - word.left) * 1.5 > word.bottom - word.top) acrossCount += word.text.length;
      else if ((words[i + 1] ?? word).top >= (words[i - 1] ?? word).top) downCount += word.text.length;
      else upCount += word.text.length;
    }
  }
  if (acrossCount >= downCount + upCount) return "across";
  return downCount > upCount ? "down" : "up";
}

function wordOf({ text, confidence, bbox: { x0, y0, x1, y1 } }: RecognisedWord): Word {
  return { text: text.trim(), confidence: confidence / 100, left: x0, top: y0, right: x1, bottom: y1 };
}

function isText({ text, confidence }: Word): boolean {
  if (text === "" || /^[|¦_[\]{}~—=\\-]+$/.test(text)) return /^[-—]$/.test(text) && confidence > 0.8;
  return confidence >= MIN_WORD_CONFIDENCE || /[\p{L}\p{N}]{3}/u.test(text);
}
