import type { Rule } from "../../pdf/page/page-drawing.js";
import { median } from "../../pdf/page/statistics.js";
import { extractRules } from "./extract-rules.js";
import { isBlank, isSideways, type Raster, type RenderableImage, rotated } from "./raster.js";
import { recogniser } from "./recogniser.js";
import { confidenceOf, directionOf, type TextLine } from "./text-lines.js";

export interface RecogniseImageOptions {
  /** Pixels per point of the first rendering. */
  readonly scale: number;
  /** Maximum pixels per point, for small letters. */
  readonly maxScale: number;
  readonly language: string;
  /** Whether to recognise the text only once, without other rotations and scales. */
  readonly isFast: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called after each pass. */
  readonly onProgress?: (() => void) | undefined;
}

export interface RecognisedImage {
  readonly lines: readonly TextLine[];
  /** Straight lines, in the coordinates of the text. */
  readonly rules: readonly Rule[];
  /** Number of clockwise quarter turns applied before recognition. */
  readonly quarterTurns: number;
  /** Pixels per point of the lines' coordinates. */
  readonly scale: number;
  /** Whether the image is empty or has only straight lines. */
  readonly isBlank: boolean;
}

/** Minimum confidence for an image that is upright and well recognised. */
const UPRIGHT_CONFIDENCE = 0.7;
// Letter sizes in pixels: small letters are rendered larger unless confidence is high, and tiny letters always.
const BEST_LETTER_SIZE = 36;
const SMALL_LETTER_SIZE = 22;
const TINY_LETTER_SIZE = 15;
/** Confidence above which a larger rendering doesn't help. */
const HIGH_CONFIDENCE = 0.9;
/** Larger images are downscaled. */
const MAX_PIXELS = 16e6;

/** Recognises the text of an image. Tries rotations if confidence is low, and a larger scale for small letters. */
export async function recogniseImage(image: RenderableImage, options: RecogniseImageOptions): Promise<RecognisedImage> {
  const scaleLimit = Math.sqrt(MAX_PIXELS / (image.width * image.height));
  let scale = Math.min(options.scale, scaleLimit);
  let raster = await image.render(scale);
  if (isBlank(raster)) return { lines: [], rules: [], quarterTurns: 0, scale, isBlank: true };
  let best: Attempt = await recognise(raster, 0, options);
  if (best.isBlank) return { lines: [], rules: best.rules, quarterTurns: 0, scale, isBlank: true };
  if (!options.isFast) {
    if (best.confidence < UPRIGHT_CONFIDENCE) best = await tryRotations(raster, best, options);
    const size = median(best.lines.map((line) => line.size));
    const largerScale = Math.min((scale * BEST_LETTER_SIZE) / size, options.maxScale, scaleLimit);
    const isSmall = size < TINY_LETTER_SIZE || (size < SMALL_LETTER_SIZE && best.confidence < HIGH_CONFIDENCE);
    if (size > 0 && isSmall && largerScale > scale * 1.2) {
      raster = await image.render(largerScale);
      const largerAttempt = await recognise(raster, best.quarterTurns, options);
      if (largerAttempt.score > best.score) [best, scale] = [largerAttempt, largerScale];
    }
    if (best.lines.length === 0) best = await recognise(raster, 0, options, true);
  }
  return { lines: best.lines, rules: best.rules, quarterTurns: best.quarterTurns, scale, isBlank: false };
}

interface Attempt extends Omit<RecognisedImage, "scale"> {
  readonly textDirection: ReturnType<typeof directionOf>;
  readonly confidence: number;
  /** Higher for more text and higher confidence. */
  readonly score: number;
}

async function recognise(
  raster: Raster,
  quarterTurns: number,
  { language, signal, onProgress }: RecogniseImageOptions,
  isSparse = false,
): Promise<Attempt> {
  const { raster: cleaned, rules } = extractRules(rotated(raster, quarterTurns));
  const isEmpty = isBlank(cleaned);
  const lines = isEmpty ? [] : await recogniser.recognise(cleaned, { language, isSparse, signal });
  onProgress?.();
  const textDirection = directionOf(lines);
  // The library recognises sideways text too: only the words' boxes show that the image is not upright.
  const isUpright = textDirection === "across";
  return {
    lines,
    rules,
    quarterTurns,
    isBlank: isEmpty,
    textDirection,
    confidence: isUpright ? confidenceOf(lines.flatMap(({ words }) => words)) : 0,
    score: isUpright ? scoreOf(lines) : 0,
  };
}

/** Tries the other rotations, the likeliest first, until the text is well recognised. */
async function tryRotations(raster: Raster, upright: Attempt, options: RecogniseImageOptions): Promise<Attempt> {
  let best = upright;
  for (const quarterTurns of rotationsByLikelihood(raster, upright)) {
    const attempt = await recognise(raster, quarterTurns, options);
    if (attempt.score > best.score) best = attempt;
    if (best.confidence >= UPRIGHT_CONFIDENCE && best.quarterTurns !== 0) break;
  }
  return best;
}

function rotationsByLikelihood(raster: Raster, { textDirection }: Attempt): readonly number[] {
  if (textDirection !== "across") return textDirection === "down" ? [3, 1, 2] : [1, 3, 2];
  return isSideways(raster) ? [1, 3, 2] : [2, 1, 3];
}

/** Sums the lengths of the words with a confidence above one half, weighted by the excess. */
function scoreOf(lines: readonly TextLine[]): number {
  let score = 0;
  for (const { words } of lines) {
    for (const { text, confidence } of words) if (confidence > 0.5) score += text.length * (confidence - 0.5);
  }
  return score;
}
