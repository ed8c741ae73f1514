import type { Box } from "./frame.js";
import type { Run } from "./runs.js";

/** Font name that marks the values of form fields, which are never headings. */
export const FIELD_FONT = "field";

/** Returns the value of a field as runs within the field's box. */
export function fieldRuns(text: string, [left, top, right, bottom]: Box): Run[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const size = Math.max(4, Math.min(10, ((bottom - top) / lines.length) * 0.8));
  return lines.map((line, i) => {
    const middle = lines.length === 1 ? (top + bottom) / 2 : top + size * (0.7 + i * 1.2);
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
