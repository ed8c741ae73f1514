import { boxToFrame, type Frame } from "../page/frame.js";
import type { PlacedReference } from "../page/page-model.js";
import type { Line } from "./lines.js";

/** Ends with a page number after a word. */
const ENTRY_PATTERN = /\p{L}{2}.*[\s.…·](\d{1,4}|[ivxlc]{1,7})$/iu;
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
  const destinationOf = (line: Line): string | null => {
    const own = links.filter(({ box: [left, top, right, bottom] }) => {
      const y = (top + bottom) / 2;
      return y > line.top && y < line.bottom && left < line.right && right > line.left;
    });
    const [first] = own;
    if (first === undefined || own.some(({ destination }) => destination !== first.destination)) return null;
    const widths = line.cells.map((cell) => {
      const linked = own.map(({ box: [left, , right] }) => Math.min(right, cell.right) - Math.max(left, cell.left));
      return { width: cell.right - cell.left, linked: Math.max(0, ...linked) };
    });
    const sum = (of: "width" | "linked"): number => widths.reduce((total, width) => total + width[of], 0);
    return sum("linked") >= sum("width") * MIN_LINKED_SHARE ? first.destination : null;
  };
  const destinations = lines.map(destinationOf);
  const labels = lines.map(({ text }, i) =>
    destinations[i] === null ? null : (ENTRY_PATTERN.exec(text)?.[1] ?? null),
  );
  const numbers = labels.flatMap((label) => (label !== null && /^\d/.test(label) ? Number(label) : []));
  const isInOrder = numbers.every((number, i) => i === 0 || number >= numbers[i - 1]!);
  if (!isInOrder || labels.filter((label) => label !== null).length < MIN_ENTRIES) return new Set();
  const isEntry = labels.map((label) => label !== null);
  for (let i = lines.length - 2; i >= 0; i--)
    isEntry[i] ||= isEntry[i + 1]! && destinations[i] !== null && destinations[i] === destinations[i + 1];
  return new Set(lines.filter((_, i) => isEntry[i]));
}
