import type { Box } from "./frame.js";
import type { Run } from "./runs.js";
import type { Segment } from "./segments.js";
import { isRightToLeft } from "./text-direction.js";

/** A bullet stands within this multiple of the font size from the text of its item, and is so large at most. */
const MAX_GAP_RATIO = 2.5;
const MAX_SIZE_RATIO = 0.6;
/** The lines of a list stand farther in than those of the text by one to this multiple of the font size. */
const MAX_INDENT_RATIO = 6;
/** A page with more dots is a drawing. */
const MAX_DOTS = 200;

/**
 * Whether a page may have lists with drawn bullets, so that reading the page's costly operator list is worthwhile: two
 * lines or more, one below the other, are indented alike.
 */
export function mayHaveDrawnBullets(segments: readonly Segment[]): boolean {
  const isRtl = isRightToLeft(segments.map(({ text }) => text));
  const startOf = ({ left, right }: Segment): number => Math.round(isRtl ? -right : left);
  const starts = new Set(segments.map(startOf));
  return segments.some((segment, i) => {
    const next = segments[i + 1];
    if (next === undefined || startOf(segment) !== startOf(next)) return false;
    if (next.baseline - segment.baseline > segment.size * 3) return false;
    for (let indent = Math.ceil(segment.size); indent < segment.size * MAX_INDENT_RATIO; indent++)
      if (starts.has(startOf(segment) - indent)) return true;
    return false;
  });
}

/** Returns a run with a bullet for each dot that is drawn beside the beginning of a line, at half the height of its letters. */
export function bulletRuns(dots: readonly Box[], runs: readonly Run[]): Run[] {
  if (dots.length > MAX_DOTS) return [];
  const isRtl = isRightToLeft(runs.map(({ text }) => text));
  return dots.flatMap(([left, top, right, bottom]) => {
    const middle = (top + bottom) / 2;
    const gapTo = (run: Run): number => (isRtl ? left - run.right : run.left - right);
    const line = runs.filter(
      ({ baseline, size }) =>
        middle < baseline &&
        middle > baseline - size * 0.7 &&
        Math.max(right - left, bottom - top) < size * MAX_SIZE_RATIO,
    );
    const text = line
      .filter((run) => gapTo(run) >= 0 && gapTo(run) < run.size * MAX_GAP_RATIO)
      .sort((a, b) => gapTo(a) - gapTo(b))[0];
    const isFirst = text !== undefined && !line.some((run) => gapTo(run) < 0 && -gapTo(run) < run.size * 10);
    return isFirst ? [{ ...text, text: "•", left, right, isSpaced: true }] : [];
  });
}
