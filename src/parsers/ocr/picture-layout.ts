import { type Box, boxOnPage, type Frame, frameOf } from "../pdf/frame.js";
import { median } from "../pdf/lines.js";
import type { PageText } from "../pdf/page-text.js";
import type { Run } from "../pdf/runs.js";
import { segmentsOf } from "../pdf/segments.js";
import type { RecognisedPicture } from "./recognise-picture.js";
import type { TextLine, Word } from "./text-lines.js";

/** A recognised word of a page: where it is, and where the layout has it. */
export interface PlacedWord {
  readonly page: number;
  readonly confidence: number;
  readonly length: number;
  /** In points of the page. */
  readonly box: Box;
  /** Middle of the word in the measures of the page's blocks. */
  readonly x: number;
  readonly y: number;
}

export interface PictureLayout {
  readonly page: PageText;
  readonly words: readonly PlacedWord[];
}

/** Wider gaps, in sizes of the letters, part two pieces of a line: boxes of recognised words are not exact. */
const PIECE_GAP = 1.1;
/** Sizes that differ by less from that of most of the text are taken for the same: they are estimates. */
const SAME_SIZE = 1.25;
const SIZE_STEP = 1.2;
/** What dots before items of a list are taken for. */
const MISREAD_BULLET = /^[+*»©®¢°·●○◦▪■] (?=\S)/;

/** The recognised text of a page as if the page had text: its pieces straight, and in sizes that can be compared. */
export function pictureLayout(
  number: number,
  picture: { readonly width: number; readonly height: number },
  { lines, angle, scale }: RecognisedPicture,
  font: string,
): PictureLayout {
  const frame = frameOf(angle, picture.width, picture.height);
  const slope = median(lines.filter(({ words }) => words.length > 2).map(slopeOf));
  const body = bodySize(lines);
  const words: PlacedWord[] = [];
  const runs: Run[] = [];
  for (const line of lines) {
    const size = sizeOf(line.size, body) / scale;
    const { x0, y0, x1, y1 } = line.baseline;
    const baseline = ((y0 + y1) / 2 - (slope * (x0 + x1)) / 2) / scale;
    for (const piece of piecesOf(line.words, size * scale * PIECE_GAP)) {
      const left = piece[0]!.left / scale;
      const right = piece.at(-1)!.right / scale;
      const text = piece
        .map((word) => word.text)
        .join(" ")
        .replace(MISREAD_BULLET, "• ");
      const box = { left, right, top: baseline - size * 0.8, bottom: baseline + size * 0.2 };
      runs.push({ text, ...box, baseline, size, font, isSpaced: true, content: null, isArtifact: false });
    }
    for (const word of line.words) words.push(placed(number, word, frame, scale, baseline - size * 0.3));
  }
  return { page: { number, main: { frame, segments: segmentsOf(runs) }, turned: [], notes: [] }, words };
}

function placed(page: number, word: Word, frame: Frame, scale: number, middle: number): PlacedWord {
  const { text, confidence } = word;
  const [left, top, right, bottom] = [word.left, word.top, word.right, word.bottom].map((value) => value / scale);
  const x = (left! + right!) / 2;
  const [u, v] = boxOnPage(frame, [x, middle, x, middle]);
  return { page, confidence, length: text.length, box: boxOnPage(frame, [left!, top!, right!, bottom!]), x: u, y: v };
}

function piecesOf(words: readonly Word[], gap: number): Word[][] {
  const pieces: Word[][] = [];
  let last: Word | undefined;
  for (const word of [...words].sort((a, b) => a.left - b.left)) {
    if (last === undefined || word.left - last.right > gap) pieces.push([]);
    pieces.at(-1)!.push(word);
    last = word;
  }
  return pieces;
}

function slopeOf({ baseline: { x0, y0, x1, y1 } }: TextLine): number {
  return x1 === x0 ? 0 : (y1 - y0) / (x1 - x0);
}

/** The size of the line in which the middle letter of the text stands. */
function bodySize(lines: readonly TextLine[]): number {
  const sizes = lines.map(({ size, words }) => ({
    size,
    letters: words.reduce((sum, word) => sum + word.text.length, 0),
  }));
  let left = sizes.reduce((sum, { letters }) => sum + letters, 0) / 2;
  for (const { size, letters } of sizes.sort((a, b) => a.size - b.size)) {
    left -= letters;
    if (left <= 0) return size;
  }
  return 1;
}

/** Sizes in steps: near that of most of the text, they are that. */
function sizeOf(size: number, body: number): number {
  const ratio = size / body;
  if (ratio < SAME_SIZE && ratio > 1 / SAME_SIZE) return body;
  return body * SIZE_STEP ** Math.round(Math.log(ratio) / Math.log(SIZE_STEP));
}
