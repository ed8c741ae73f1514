import type { Rule } from "../../pdf/ruling-lines.js";
import type { Raster } from "./raster.js";

const DARK = 160;
const WHITE = 255;
/** Shorter lines, in pixels and as a share of the image's longer side, are strokes of letters and dashes. */
const MIN_PIXELS = 110;
const MIN_SHARE = 1 / 20;
/** A line thicker than this share of the longer side is a bar or part of a photo. */
const MAX_THICKNESS = 1 / 200;
/** Drawings and photos have more; then none are extracted. */
const MAX_RULES = 3000;
const SAMPLES = 5;

/**
 * Removes straight lines from an image and returns them, in pixels: they disturb recognition and mark the cells of
 * tables.
 */
export function extractRules(raster: Raster): { readonly raster: Raster; readonly rules: readonly Rule[] } {
  const { width, height, grey } = raster;
  const rules = [...rulesAlong(raster, true), ...rulesAlong(raster, false)];
  if (rules.length === 0 || rules.length > MAX_RULES) return { raster, rules: [] };
  const cleaned = grey.slice();
  for (const { isHorizontal, at, from, to } of rules) {
    // Including their antialiased edges.
    for (let offset = Math.max(0, at - 1); offset <= Math.min((isHorizontal ? height : width) - 1, at + 1); offset++) {
      if (isHorizontal) cleaned.fill(WHITE, offset * width + from, offset * width + to);
      else for (let y = from; y < to; y++) cleaned[y * width + offset] = WHITE;
    }
  }
  return { raster: { width, height, grey: cleaned }, rules };
}

function rulesAlong({ width, height, grey }: Raster, isHorizontal: boolean): Rule[] {
  const longerSide = Math.max(width, height);
  const minLength = Math.max(MIN_PIXELS, longerSide * MIN_SHARE);
  const maxThickness = Math.ceil(longerSide * MAX_THICKNESS) + 1;
  const [length, count] = isHorizontal ? [width, height] : [height, width];
  const [step, stride] = isHorizontal ? [1, width] : [width, 1];
  const isDark = (along: number, at: number): boolean =>
    at >= 0 && at < count && grey[along * step + at * stride]! < DARK;
  const isThin = (from: number, to: number, at: number): boolean => {
    let thin = 0;
    for (let i = 1; i <= SAMPLES; i++) {
      const along = from + Math.floor(((to - from) * i) / (SAMPLES + 1));
      let thickness = 1;
      while (thickness <= maxThickness && isDark(along, at - thickness)) thickness++;
      for (let distance = 1; thickness <= maxThickness && isDark(along, at + distance); distance++) thickness++;
      if (thickness <= maxThickness) thin++;
    }
    return thin > SAMPLES / 2;
  };
  const rules: Rule[] = [];
  for (let at = 0; at < count && rules.length <= MAX_RULES; at++) {
    let from = 0;
    for (let along = 0, i = at * stride; along <= length; along++, i += step) {
      if (along < length && grey[i]! < DARK) continue;
      if (along - from >= minLength && isThin(from, along, at)) rules.push({ isHorizontal, at, from, to: along });
      from = along + 1;
    }
  }
  return rules;
}
