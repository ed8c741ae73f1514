import type Tesseract from "tesseract.js";

/** A word as it was recognised; its box is in pixels of the picture. */
export interface Word {
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface TextLine {
  readonly words: readonly Word[];
  /** From the lowest to the highest point that its letters could have. */
  readonly height: number;
  readonly baseline: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number };
}

/** Less sure words of a letter or two are specks, edges and parts of drawings. */
const SPECK = 0.4;
const DOUBTFUL_LINE = 0.3;

/** The lines of a recognised picture, without what is no writing. */
export function textLines(blocks: Tesseract.Block[] | null): TextLine[] {
  const lines = (blocks ?? []).flatMap((block) => block.paragraphs.flatMap((paragraph) => paragraph.lines));
  return lines.flatMap(({ words, baseline, rowAttributes, bbox }) => {
    const kept = words.map(wordOf).filter((word) => isWriting(word));
    if (kept.length === 0 || confidenceOf([{ words: kept }]) < DOUBTFUL_LINE) return [];
    const height = rowAttributes.rowHeight > 0 ? rowAttributes.rowHeight : bbox.y1 - bbox.y0;
    return [{ words: kept, height, baseline }];
  });
}

/** How sure all words are, by their letters; 0 of none. */
export function confidenceOf(lines: readonly Pick<TextLine, "words">[]): number {
  let letters = 0;
  let sum = 0;
  for (const { words } of lines) {
    for (const { text, confidence } of words) {
      letters += text.length;
      sum += confidence * text.length;
    }
  }
  return letters === 0 ? 0 : sum / letters;
}

function wordOf({ text, confidence, bbox: { x0, y0, x1, y1 } }: Tesseract.Word): Word {
  return { text: text.trim(), confidence: confidence / 100, left: x0, top: y0, right: x1, bottom: y1 };
}

function isWriting({ text, confidence }: Word): boolean {
  if (text === "" || /^[|¦_[\]{}~—=\\-]+$/.test(text)) return /^[-—]$/.test(text) && confidence > 0.8;
  return confidence >= SPECK || /[\p{L}\p{N}]{3}/u.test(text);
}
