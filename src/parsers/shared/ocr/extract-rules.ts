import type { Rule } from "../../pdf/page/page-drawing.js";
import type { Raster } from "./raster.js";

/** Grey levels below this are dark. */
const DARK_LEVEL = 160;
const WHITE = 255;
// Lines shorter than this, in pixels or as a share of the image's longer side, are strokes of letters and dashes.
const MIN_LENGTH_PIXELS = 110;
const MIN_LENGTH_SHARE = 1 / 20;
/** A line thicker than this share of the longer side is a bar or part of a photo. */
const MAX_THICKNESS_SHARE = 1 / 200;
/** An image with more lines is a drawing or photo, from which no lines are extracted. */
const MAX_RULES = 3000;
/** Number of points at which the thickness of a line is measured. */
const THICKNESS_SAMPLE_COUNT = 5;

/**
 * Removes straight lines from an image, since they disturb recognition, and returns them in pixels, since they mark the
 * cells of tables.
 */
export function extractRules(raster: Raster): { readonly raster: Raster; readonly rules: readonly Rule[] } {
  const { width, height, grey } = raster;
  const rules = [...findRules(raster, true), ...findRules(raster, false)];
  if (rules.length === 0 || rules.length > MAX_RULES) return { raster, rules: [] };
  const cleaned = grey.slice();
  for (const { isHorizontal, at, from, to } of rules) {
    // Also clears the line's antialiased edges.
    for (let offset = Math.max(0, at - 1); offset <= Math.min((isHorizontal ? height : width) - 1, at + 1); offset++) {
      if (isHorizontal) cleaned.fill(WHITE, offset * width + from, offset * width + to);
      else for (let y = from; y < to; y++) cleaned[y * width + offset] = WHITE;
    }
  }
  return { raster: { width, height, grey: cleaned }, rules };
}

function findRules({ width, height, grey }: Raster, isHorizontal: boolean): Rule[] {
  const longerSide = Math.max(width, height);
  const minLength = Math.max(MIN_LENGTH_PIXELS, longerSide * MIN_LENGTH_SHARE);
  const maxThickness = Math.ceil(longerSide * MAX_THICKNESS_SHARE) + 1;
  const [lineLength, lineCount] = isHorizontal ? [width, height] : [height, width];
  const [step, stride] = isHorizontal ? [1, width] : [width, 1];
  const isDark = (along: number, at: number): boolean =>
    at >= 0 && at < lineCount && grey[along * step + at * stride]! < DARK_LEVEL;
  const isThin = (from: number, to: number, at: number): boolean => {
    let thinCount = 0;
    for (let i = 1; i <= THICKNESS_SAMPLE_COUNT; i++) {
      const along = from + Math.floor(((to - from) * i) / (THICKNESS_SAMPLE_COUNT + 1));
      let thickness = 1;
      while (thickness <= maxThickness && isDark(along, at - thickness)) thickness++;
      for (let distance = 1; thickness <= maxThickness && isDark(along, at + distance); distance++) thickness++;
      if (thickness <= maxThickness) thinCount++;
    }
    return thinCount > THICKNESS_SAMPLE_COUNT / 2;
  };
  const rules: Rule[] = [];
  for (let at = 0; at < lineCount && rules.length <= MAX_RULES; at++) {
    let from = 0;
    for (let along = 0, i = at * stride; along <= lineLength; along++, i += step) {
      if (along < lineLength && grey[i]! < DARK_LEVEL) continue;
      if (along - from >= minLength && isThin(from, along, at)) rules.push({ isHorizontal, at, from, to: along });
      from = along + 1;
    }
  }
  return rules;
}
