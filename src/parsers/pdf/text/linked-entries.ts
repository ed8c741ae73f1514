import { romanValue } from "../../shared/markup/roman-numeral.js";
import { type Box, boxToFrame, type Frame } from "../page/frame.js";
import type { PlacedReference } from "../page/page-model.js";
import type { Segment } from "../page/segments.js";
import type { Line } from "./lines.js";
import { BULLET_PATTERN } from "./list-marker.js";

/** A page number at the end of a line, and the length in which it is looked for, so that no line takes long. */
const LABEL_PATTERN = /[\s.…·](\d{1,3}|[ivxlc]{1,7})$/;
const LABEL_LENGTH = 8;
/** More than the pages before the first with the number 1. */
const MAX_ROMAN = 1000;
/** Fewer entries are no contents page. */
const MIN_ENTRIES = 3;
/** Share of the width of an entry's texts that its link covers; the page number may be outside. */
const MIN_LINKED_SHARE = 0.5;

/**
 * Returns the entries of a contents page that need no leader, since they are linked: each with one place only, and with
 * page numbers in order. The lines of a wrapped title are linked with the same place.
 */
export function linkedEntries(
  lines: readonly Line[],
  references: readonly PlacedReference[],
  frame: Frame,
): ReadonlySet<Line> {
  if (references.length < MIN_ENTRIES) return new Set();
  const links = references.map(({ box, destination }) => ({
    box: boxToFrame(frame, box),
    destination: JSON.stringify(destination),
  }));
  const destinationOf = ({ left, top, right, bottom, cells }: Line): string | null => {
    const own = links.filter(({ box }) => {
      const y = (box[1] + box[3]) / 2;
      return y > top && y < bottom && box[0] < right && box[2] > left;
    });
    const [first] = own;
    if (first === undefined || own.some(({ destination }) => destination !== first.destination)) return null;
    const boxes = own.map(({ box }) => box);
    return linkedShare(cells, boxes) < MIN_LINKED_SHARE ? null : first.destination;
  };
  const destinations = lines.map(destinationOf);
  const labels = lines.map(({ text }, i) => (destinations[i] === null ? null : labelOf(text)));
  if (!areInOrder(labels.filter((label) => label !== null))) return new Set();
  if (new Set(destinations.filter((_, i) => labels[i] !== null)).size < MIN_ENTRIES) return new Set();
  const isEntry = labels.map((label) => label !== null);
  for (let i = lines.length - 2; i >= 0; i--)
    isEntry[i] ||= isEntry[i + 1]! && destinations[i] !== null && destinations[i] === destinations[i + 1];
  return new Set(lines.filter((_, i) => isEntry[i]));
}

/** Whether page numbers increase, Roman ones before the others. */
function areInOrder(labels: readonly string[]): boolean {
  const values = labels.map((label) => (/^\d/.test(label) ? Number(label) : romanValue(label) - MAX_ROMAN));
  return values.every((value, i) => i === 0 || value >= values[i - 1]!);
}

/** Returns the page number at the end of a title; `null` if there is none, no word before it, or a bullet. */
function labelOf(text: string): string | null {
  return /\p{L}{2}/u.test(text) && !BULLET_PATTERN.test(text) && !/^[-–—*]\s/.test(text)
    ? (LABEL_PATTERN.exec(text.slice(-LABEL_LENGTH))?.[1] ?? null)
    : null;
}

/** Returns the share of the width of a line's texts that links cover. */
function linkedShare(cells: readonly Segment[], links: readonly Box[]): number {
  const linkedWidth = ({ left, right }: Segment): number =>
    Math.max(0, ...links.map((box) => Math.min(right, box[2]) - Math.max(left, box[0])));
  const width = cells.reduce((sum, { left, right }) => sum + right - left, 0);
  return cells.reduce((sum, cell) => sum + linkedWidth(cell), 0) / width;
}
