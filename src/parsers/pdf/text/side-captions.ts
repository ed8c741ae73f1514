import type { Segment } from "../page/segments.js";
import { isCaption } from "./captions.js";
import { BULLET_PATTERN } from "./list-marker.js";

/** Lines of a caption follow each other within this multiple of the font size. */
const MAX_LEADING = 1.8;
/** Lines of text beside a caption have at least this many characters; cells of a table are shorter. */
const MIN_TEXT_CHARACTERS = 18;

export interface SideCaptions {
  readonly captions: readonly (readonly Segment[])[];
  readonly rest: readonly Segment[];
}

/** Takes the captions out of a region that stand beside running text, and would break into its sentences. */
export function takeSideCaptions(segments: readonly Segment[]): SideCaptions {
  const captions: Segment[][] = [];
  let rest = segments;
  for (const first of segments.filter(({ text }) => isCaption(text))) {
    const caption = captionFrom(first, rest);
    if (!isBesideText(caption, rest)) continue;
    captions.push(caption);
    rest = rest.filter((segment) => !caption.includes(segment));
  }
  return { captions, rest };
}

/** Returns the lines of a caption: its first, and those that follow below with the same left edge and size. */
function captionFrom(first: Segment, segments: readonly Segment[]): Segment[] {
  const lines = [first];
  for (const segment of segments) {
    const last = lines.at(-1)!;
    const leading = (segment.baseline - last.baseline) / first.size;
    if (leading < 0.5 || Math.abs(segment.left - first.left) > first.size) continue;
    if (leading > MAX_LEADING || Math.abs(segment.size - first.size) > first.size * 0.12) break;
    if (isCaption(segment.text) || BULLET_PATTERN.test(segment.text)) break;
    lines.push(segment);
  }
  return lines;
}

/** Whether most lines of a caption have one line of running text beside them, which goes on above or below. */
function isBesideText(caption: readonly Segment[], segments: readonly Segment[]): boolean {
  const others = segments.filter((segment) => !caption.includes(segment));
  const neighbours = caption.map((line) => others.filter((other) => overlaps(line, other)));
  const texts = new Set(neighbours.flat());
  if (texts.size < Math.max(1, caption.length - 1)) return false;
  for (const text of texts) if (text.text.length < MIN_TEXT_CHARACTERS || text.table !== undefined) return false;
  const [text] = texts;
  return others.some(
    (other) =>
      !texts.has(other) &&
      Math.abs(other.left - text!.left) < text!.size &&
      Math.abs(other.baseline - text!.baseline) < text!.size * MAX_LEADING * (caption.length + 1) &&
      other.text.length >= MIN_TEXT_CHARACTERS,
  );
}

function overlaps(line: Segment, other: Segment): boolean {
  return (
    Math.abs(line.baseline - other.baseline) < line.size * 0.7 && (other.right < line.left || other.left > line.right)
  );
}
