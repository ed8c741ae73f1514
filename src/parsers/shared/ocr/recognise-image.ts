import type { Rule } from "../../pdf/ruling-lines.js";
import { median } from "../../pdf/statistics.js";
import { isBlank, isSideways, type Raster, type RenderableImage, rotated } from "./raster.js";
import { recogniser } from "./recogniser.js";
import { takeRules } from "./ruling.js";
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
  /** Clockwise quarter turns before it was read. */
  readonly angle: number;
  /** Pixels per point of the lines' coordinates. */
  readonly scale: number;
  /** Whether there is nothing but straight lines. */
  readonly isBlank: boolean;
}

/** Confidence above which an image is upright and well recognised. */
const SURE = 0.7;
/** Letter sizes in pixels: recognition is best at the first, and poor below the second. */
const GOOD_SIZE = 36;
const LOW_SIZE = 22;
const TINY_SIZE = 15;
/** Confidence above which a larger rendering would not help. */
const WELL_READ = 0.9;
/** Larger images are downscaled. */
const MAX_PIXELS = 16e6;

/**
 * Recognises the text of an image; repeats it at a larger scale for small letters, and rotated if the text makes no
 * sense.
 */
export async function recogniseImage(image: RenderableImage, options: RecogniseImageOptions): Promise<RecognisedImage> {
  const limit = Math.sqrt(MAX_PIXELS / (image.width * image.height));
  let scale = Math.min(options.scale, limit);
  let raster = await image.draw(scale);
  if (isBlank(raster)) return { lines: [], rules: [], angle: 0, scale, isBlank: true };
  let best: Reading = await read(raster, 0, options);
  if (best.isBlank) return { lines: [], rules: best.rules, angle: 0, scale, isBlank: true };
  if (!options.isFast) {
    if (best.sureness < SURE) best = await readTurned(raster, best, options);
    const size = median(best.lines.map((line) => line.size));
    const larger = Math.min((scale * GOOD_SIZE) / size, options.maxScale, limit);
    if (size > 0 && (size < TINY_SIZE || (size < LOW_SIZE && best.sureness < WELL_READ)) && larger > scale * 1.2) {
      raster = await image.draw(larger);
      const again = await read(raster, best.angle, options);
      if (again.value > best.value) [best, scale] = [again, larger];
    }
    if (best.lines.length === 0) best = await read(raster, 0, options, true);
  }
  return { lines: best.lines, rules: best.rules, angle: best.angle, scale, isBlank: false };
}

interface Reading extends Omit<RecognisedImage, "scale"> {
  readonly flow: ReturnType<typeof direction>;
  readonly sureness: number;
  /** Higher for more text and higher confidence. */
  readonly value: number;
}

async function read(
  raster: Raster,
  angle: number,
  { language, signal, onProgress }: RecogniseImageOptions,
  isSparse = false,
): Promise<Reading> {
  const { raster: cleaned, rules } = takeRules(rotated(raster, angle));
  const isEmpty = isBlank(cleaned);
  const lines = isEmpty ? [] : await recogniser.recognise(cleaned, { language, isSparse, signal });
  onProgress?.();
  const flow = direction(lines);
  // Sideways pages are recognised too, but only in the order of their letters' boxes.
  const isUpright = flow === "across";
  return {
    lines,
    rules,
    angle,
    isBlank: isEmpty,
    flow,
    sureness: isUpright ? confidenceOf(lines.flatMap(({ words }) => words)) : 0,
    value: isUpright ? worth(lines) : 0,
  };
}

/** Tries the other rotations, likelier ones first, until one is well recognised. */
async function readTurned(raster: Raster, upright: Reading, options: RecogniseImageOptions): Promise<Reading> {
  let best = upright;
  for (const angle of likelyAngles(raster, upright)) {
    const reading = await read(raster, angle, options);
    if (reading.value > best.value) best = reading;
    if (best.sureness >= SURE && best.angle !== 0) break;
  }
  return best;
}

function likelyAngles(raster: Raster, { flow }: Reading): readonly number[] {
  if (flow !== "across") return flow === "down" ? [3, 1, 2] : [1, 3, 2];
  return isSideways(raster) ? [1, 3, 2] : [2, 1, 3];
}

/** The letters of words that are no accident. */
function worth(lines: readonly TextLine[]): number {
  let value = 0;
  for (const { words } of lines) {
    for (const { text, confidence } of words) if (confidence > 0.5) value += text.length * (confidence - 0.5);
  }
  return value;
}
