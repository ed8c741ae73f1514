import type { Box } from "./frame.js";
import type { Run } from "./runs.js";

/** Font name that marks the values of form fields, which are never headings. */
export const FIELD_FONT = "field";

/** Returns the value of a field as runs within the field's box, one of one line on the line of the text beside it. */
export function fieldRuns(text: string, box: Box, others: readonly Run[]): Run[] {
  const [left, top, right, bottom] = box;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const size = Math.max(4, Math.min(10, ((bottom - top) / lines.length) * 0.8));
  const baseline = lines.length === 1 ? baselineBeside(box, others) : undefined;
  return lines.map((line, i) => {
    const inBox = lines.length === 1 ? (top + bottom) / 2 : top + size * (0.7 + i * 1.2);
    const middle = baseline === undefined ? inBox : baseline - size * 0.3;
    return {
      text: line,
      left,
      right: Math.max(left + size * 0.5, Math.min(right, left + line.length * size * 0.5)),
      top: middle - size * 0.5,
      bottom: middle + size * 0.5,
      baseline: middle + size * 0.3,
      size,
      font: FIELD_FONT,
      isSpaced: true,
      contentId: null,
      isArtifact: false,
    };
  });
}

/** The baseline of the text nearest to a field on its left or right; `undefined` if there is none. */
function baselineBeside([left, top, right, bottom]: Box, runs: readonly Run[]): number | undefined {
  const distance = (run: Run): number => Math.max(left - run.right, run.left - right);
  const beside = runs.filter((run) => run.baseline > top && run.baseline < bottom && distance(run) > -run.size * 0.5);
  return beside.sort((a, b) => distance(a) - distance(b))[0]?.baseline;
}
