import { isBlank, type Picture, type Raster, runsDown, turned } from "./raster.js";
import { recogniser } from "./recogniser.js";
import { confidenceOf, type TextLine } from "./text-lines.js";

export interface RecognisePictureOptions {
  /** Pixels to a point at which the picture is drawn first. */
  readonly scale: number;
  /** It is drawn larger, up to this, where its letters are too small. */
  readonly maxScale: number;
  readonly language: string;
  /** Whether to do without second looks. */
  readonly isFast: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface RecognisedPicture {
  readonly lines: readonly TextLine[];
  /** Quarter turns clockwise after which it was read. */
  readonly angle: number;
  /** Pixels to a point in the lines' measures. */
  readonly scale: number;
  readonly isBlank: boolean;
}

/** Above this a picture stands upright and is read well. */
const SURE = 0.7;
/** Letters of this height are read best; below the lower one much is misread. */
const GOOD_HEIGHT = 34;
const LOW_HEIGHT = 22;
/** Larger pictures are drawn smaller. */
const MAX_PIXELS = 16e6;

/** Recognises the text of a picture: looks again at larger letters where they are small, and at turned ones where it makes no sense. */
export async function recognisePicture(picture: Picture, options: RecognisePictureOptions): Promise<RecognisedPicture> {
  const limit = Math.sqrt(MAX_PIXELS / (picture.width * picture.height));
  let scale = Math.min(options.scale, limit);
  let raster = await picture.draw(scale);
  if (isBlank(raster)) return { lines: [], angle: 0, scale, isBlank: true };
  let best: Reading = await read(raster, 0, options);
  if (!options.isFast) {
    if (best.sureness < SURE) best = await readTurned(raster, best, options);
    const height = medianHeight(best.lines);
    const larger = Math.min((scale * GOOD_HEIGHT) / height, options.maxScale, limit);
    if (height > 0 && height < LOW_HEIGHT && larger > scale * 1.2) {
      raster = await picture.draw(larger);
      const again = await read(raster, best.angle, options);
      if (again.value > best.value) [best, scale] = [again, larger];
    }
    if (best.lines.length === 0) best = await read(raster, 0, options, true);
  }
  return { lines: best.lines, angle: best.angle, scale, isBlank: false };
}

interface Reading {
  readonly lines: readonly TextLine[];
  readonly angle: number;
  readonly sureness: number;
  /** More for more text, and for text that is surer. */
  readonly value: number;
}

async function read(
  raster: Raster,
  angle: number,
  { language, signal }: RecognisePictureOptions,
  isSparse = false,
): Promise<Reading> {
  const lines = await recogniser.recognise(turned(raster, angle), { language, isSparse, signal });
  const sureness = confidenceOf(lines);
  return { lines, angle, sureness, value: worth(lines) };
}

/** Tries the other ways to hold the picture, the likelier ones first, until one is read well. */
async function readTurned(raster: Raster, upright: Reading, options: RecognisePictureOptions): Promise<Reading> {
  let best = upright;
  for (const angle of runsDown(raster) ? [1, 3, 2] : [2, 1, 3]) {
    const reading = await read(raster, angle, options);
    if (reading.value > best.value) best = reading;
    if (best.sureness >= SURE && best.angle !== 0) break;
  }
  return best;
}

/** Words that are no accident count by their letters. */
function worth(lines: readonly TextLine[]): number {
  let value = 0;
  for (const { words } of lines) {
    for (const { text, confidence } of words) if (confidence > 0.5) value += text.length * (confidence - 0.5);
  }
  return value;
}

function medianHeight(lines: readonly TextLine[]): number {
  return lines.map((line) => line.height).sort((a, b) => a - b)[lines.length >> 1] ?? 0;
}
