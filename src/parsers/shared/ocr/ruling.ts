import type { Rule } from "../../pdf/ruling-lines.js";
import type { Raster } from "./raster.js";

const DARK = 160;
const WHITE = 255;
/** Shorter lines, in pixels and as a share of the image's longer side, are strokes of letters and dashes. */
const MIN_PIXELS = 110;
const MIN_SHARE = 1 / 20;
/** A line thicker than this share is a bar or part of a photo. */
const MAX_THICKNESS = 1 / 200;
/** Drawings and photos have more; there no lines are detected. */
const MAX_RULES = 3000;
const SAMPLES = 5;

/**
 * Removes straight lines from an image and returns them, in pixels: they disturb recognition and mark the cells of
 * tables.
 */
export function takeRules(raster: Raster): { readonly raster: Raster; readonly rules: readonly Rule[] } {
  const { width, height, grey } = raster;
  const rules = [...rulesAlong(raster, true), ...rulesAlong(raster, false)];
  if (rules.length === 0 || rules.length > MAX_RULES) return { raster, rules: [] };
  const cleaned = grey.slice();
  for (const { isAcross, at, from, to } of rules) {
    // Including their antialiased edges.
    for (let beside = Math.max(0, at - 1); beside <= Math.min((isAcross ? height : width) - 1, at + 1); beside++) {
      if (isAcross) cleaned.fill(WHITE, beside * width + from, beside * width + to);
      else for (let y = from; y < to; y++) cleaned[y * width + beside] = WHITE;
    }
  }
  return { raster: { width, height, grey: cleaned }, rules };
}

function rulesAlong({ width, height, grey }: Raster, isAcross: boolean): Rule[] {
  const longer = Math.max(width, height);
  const minLength = Math.max(MIN_PIXELS, longer * MIN_SHARE);
  const maxThickness = Math.ceil(longer * MAX_THICKNESS) + 1;
  const [length, count] = isAcross ? [width, height] : [height, width];
  const [step, stride] = isAcross ? [1, width] : [width, 1];
  const isDark = (along: number, at: number): boolean =>
    at >= 0 && at < count && grey[along * step + at * stride]! < DARK;
  const isThin = (from: number, to: number, at: number): boolean => {
    let thin = 0;
    for (let i = 1; i <= SAMPLES; i++) {
      const along = from + Math.floor(((to - from) * i) / (SAMPLES + 1));
      let thickness = 1;
      while (thickness <= maxThickness && isDark(along, at - thickness)) thickness++;
      for (let below = 1; thickness <= maxThickness && isDark(along, at + below); below++) thickness++;
      if (thickness <= maxThickness) thin++;
    }
    return thin > SAMPLES / 2;
  };
  const rules: Rule[] = [];
  for (let at = 0; at < count && rules.length <= MAX_RULES; at++) {
    let from = 0;
    for (let along = 0, i = at * stride; along <= length; along++, i += step) {
      if (along < length && grey[i]! < DARK) continue;
      if (along - from >= minLength && isThin(from, along, at)) rules.push({ isAcross, at, from, to: along });
      from = along + 1;
    }
  }
  return rules;
}
