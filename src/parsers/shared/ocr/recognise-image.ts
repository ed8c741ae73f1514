import type { Rule } from "../../pdf/ruling-lines.js";
import { median } from "../../pdf/statistics.js";
import { extractRules } from "./extract-rules.js";
import { isBlank, isSideways, type Raster, type RenderableImage, rotated } from "./raster.js";
import { recogniser } from "./recogniser.js";
import { confidenceOf, direction, type TextLine } from "./text-lines.js";

export interface RecogniseImageOptions {
  /** Pixels per point of the first rendering. */
  readonly scale: number;
  /** Maximum pixels per point, for small letters. */
  readonly maxScale: number;
  readonly language: string;
  /** Whether to skip second passes. */
  readonly isFast: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called after each pass. */
  readonly onProgress?: (() => void) | undefined;
}

export interface RecognisedImage {
  readonly lines: readonly TextLine[];
  /** Straight lines, in the coordinates of the text. */
  readonly rules: readonly Rule[];
  /** Clockwise quarter turns applied before recognition. */
  readonly angle: number;
  /** Pixels per point of the lines' coordinates. */
  readonly scale: number;
  /** Whether the image has nothing but straight lines. */
  readonly isBlank: boolean;
}

/** Confidence above which an image is upright and well recognised. */
const UPRIGHT_CONFIDENCE = 0.7;
/** Letter sizes in pixels: recognition is best at the first, and poor below the second. */
const BEST_LETTER_SIZE = 36;
const SMALL_LETTER_SIZE = 22;
const TINY_LETTER_SIZE = 15;
/** Confidence above which a larger rendering doesn't help. */
const HIGH_CONFIDENCE = 0.9;
/** Larger images are downscaled. */
const MAX_PIXELS = 16e6;

/** Recognises the text of an image. Tries rotations if confidence is low, and a larger scale for small letters. */
export async function recogniseImage(image: RenderableImage, options: RecogniseImageOptions): Promise<RecognisedImage> {
  const limit = Math.sqrt(MAX_PIXELS / (image.width * image.height));
  let scale = Math.min(options.scale, limit);
  let raster = await image.render(scale);
  if (isBlank(raster)) return { lines: [], rules: [], angle: 0, scale, isBlank: true };
  let best: Attempt = await recognise(raster, 0, options);
  if (best.isBlank) return { lines: [], rules: best.rules, angle: 0, scale, isBlank: true };
  if (!options.isFast) {
    if (best.confidence < UPRIGHT_CONFIDENCE) best = await tryRotations(raster, best, options);
    const size = median(best.lines.map((line) => line.size));
    const larger = Math.min((scale * BEST_LETTER_SIZE) / size, options.maxScale, limit);
    const isSmall = size < TINY_LETTER_SIZE || (size < SMALL_LETTER_SIZE && best.confidence < HIGH_CONFIDENCE);
    if (size > 0 && isSmall && larger > scale * 1.2) {
      raster = await image.render(larger);
      const again = await recognise(raster, best.angle, options);
      if (again.score > best.score) [best, scale] = [again, larger];
    }
    if (best.lines.length === 0) best = await recognise(raster, 0, options, true);
  }
  return { lines: best.lines, rules: best.rules, angle: best.angle, scale, isBlank: false };
}

interface Attempt extends Omit<RecognisedImage, "scale"> {
  readonly textDirection: ReturnType<typeof direction>;
  readonly confidence: number;
  /** Higher for more text and higher confidence. */
  readonly score: number;
}

async function recognise(
  raster: Raster,
  angle: number,
  { language, signal, onProgress }: RecogniseImageOptions,
  isSparse = false,
): Promise<Attempt> {
  const { raster: cleaned, rules } = extractRules(rotated(raster, angle));
  const isEmpty = isBlank(cleaned);
  const lines = isEmpty ? [] : await recogniser.recognise(cleaned, { language, isSparse, signal });
  onProgress?.();
  const textDirection = direction(lines);
  // Sideways pages are recognised too, but only in the order of their letters' boxes.
  const isUpright = textDirection === "across";
  return {
    lines,
    rules,
    angle,
    isBlank: isEmpty,
    textDirection,
    confidence: isUpright ? confidenceOf(lines.flatMap(({ words }) => words)) : 0,
    score: isUpright ? scoreOf(lines) : 0,
  };
}

/** Tries the other rotations, likelier ones first, until one is well recognised. */
async function tryRotations(raster: Raster, upright: Attempt, options: RecogniseImageOptions): Promise<Attempt> {
  let best = upright;
  for (const angle of likelyAngles(raster, upright)) {
    const attempt = await recognise(raster, angle, options);
    if (attempt.score > best.score) best = attempt;
    if (best.confidence >= UPRIGHT_CONFIDENCE && best.angle !== 0) break;
  }
  return best;
}

function likelyAngles(raster: Raster, { textDirection }: Attempt): readonly number[] {
  if (textDirection !== "across") return textDirection === "down" ? [3, 1, 2] : [1, 3, 2];
  return isSideways(raster) ? [1, 3, 2] : [2, 1, 3];
}

/** Sums the characters of reliable words, weighted by their confidence. */
function scoreOf(lines: readonly TextLine[]): number {
  let score = 0;
  for (const { words } of lines) {
    for (const { text, confidence } of words) if (confidence > 0.5) score += text.length * (confidence - 0.5);
  }
  return score;
}
