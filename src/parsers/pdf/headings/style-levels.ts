import { groupBy } from "../../../util/group-by.js";
import type { NumberFormat } from "./section-number.js";

/** The look of a heading, and how it is numbered. */
export interface StyledHeading {
  /** In points. */
  readonly size: number;
  readonly isBold: boolean;
  /** Equal for headings that look the same. */
  readonly style: string;
  /** How it is numbered, if its number doesn't count through the document. */
  readonly format: NumberFormat | null;
}

/** A level for each heading of a document; `null` if unknown. */
export type Levels = readonly (number | null)[];

/** Headings that look the same. */
interface Style {
  /** Larger for larger and bold headings. */
  readonly prominence: number;
  /** The indexes of its headings. */
  readonly members: readonly number[];
  /** How its headings are numbered, outermost first; the first of them are at the level of the style, the others below. */
  readonly formats: readonly (NumberFormat | null)[];
}

interface KnownStyle extends Style {
  readonly levels: readonly number[];
}

/** The level of a single heading is an exception in its style if it is a smaller share of its headings. */
const MIN_STYLE_SHARE = 0.2;

/** Larger headings, in points, look the same, so that the number of styles is limited. */
const MAX_SIZE = 300;

/** Gives each heading without a level that of its style, and each style without one a level by its prominence. */
export function levelsByStyle(headings: readonly StyledHeading[], levels: Levels): number[] {
  const result = [...levels];
  const known: KnownStyle[] = [];
  const unknown: Style[] = [];
  for (const members of groupBy(headings.keys(), (i) => headings[i]!.style).values()) {
    const { size, isBold } = headings[members[0]!]!;
    const style = { prominence: roundedSize(size) + (isBold ? 0.1 : 0), members };
    const levelled = members.filter((i) => levels[i] !== null);
    const formats = formatsOf(headings, members);
    if (levelled.length === 0) unknown.push({ ...style, formats });
    else {
      const own = formatsOf(headings, levelled);
      const deeper = formats.filter((format) => !own.includes(format));
      known.push({ ...style, formats: [null, ...deeper], levels: commonLevels(levelled.map((i) => levels[i]!)) });
    }
  }
  known.push(
    ...levelsOfStyles(
      known,
      unknown,
      levels.findIndex((level) => level !== null),
    ),
  );
  for (const { members, formats, levels: own } of known)
    for (const i of members) {
      const depth = formats.indexOf(headings[i]!.format);
      result[i] ??= depth <= 0 ? own[0]! : own.at(-1)! + depth;
    }
  return result.map((level) => level!);
}

/** Returns a size by which headings look the same. */
export function roundedSize(size: number): number {
  return Math.min(MAX_SIZE, Math.round(size * 2) / 2);
}

/** Returns the levels that are no exceptions in a style, in order. */
function commonLevels(levels: readonly number[]): number[] {
  const groups = [...groupBy(levels, (level) => level)].sort(([a], [b]) => a - b);
  const common = groups.filter(([, same]) => same.length > 1 || same.length >= levels.length * MIN_STYLE_SHARE);
  return (common.length === 0 ? groups : common).map(([level]) => level);
}

/** Returns how the headings of a style are numbered, outermost first: in the order in which they begin. */
function formatsOf(headings: readonly StyledHeading[], members: readonly number[]): (NumberFormat | null)[] {
  return [...new Set(members.map((i) => headings[i]!.format).filter((format) => format !== null))];
}

/**
 * Returns the levels of styles that are known by their prominence only, in relation to the others.
 *
 * @param firstKnown The first heading whose level is known otherwise; before it are the titles of the document.
 */
function levelsOfStyles(known: readonly KnownStyle[], unknown: readonly Style[], firstKnown: number): KnownStyle[] {
  const byProminence = (a: Style, b: Style): number => b.prominence - a.prominence;
  const sortedKnown = known.toSorted(byProminence);
  const sorted = unknown.toSorted(byProminence);
  const upper = sorted.filter(({ prominence }) => !known.some((style) => style.prominence > prominence));
  const isBefore = ({ members }: Style): boolean => members.at(-1)! < firstKnown;
  // What is smaller than sections that go on after the first known heading is no title of the document.
  const largest = upper.find((style) => !isBefore(style) && style.members.length > 1)?.prominence ?? 0;
  const titles = upper.filter((style) => isBefore(style) && style.prominence > largest);
  const sections = upper.filter(
    (style) => !titles.includes(style) && (known.length === 0 || style.members.length > 1 || isBefore(style)),
  );
  const depthOf = ({ formats }: Style): number => Math.max(1, formats.length);
  const depth = sections.reduce((sum, style) => sum + depthOf(style), 0);
  let level = (sortedKnown[0]?.levels[0] ?? 1) - depth;
  const [first] = [...titles, ...sections].sort(byProminence);
  const result = titles.map((style) => ({ ...style, levels: [style === first ? level - 1 : level] }));
  // A single heading after the first known one is no level of its own, here and below.
  for (const style of upper)
    if (!titles.includes(style) && !sections.includes(style)) result.push({ ...style, levels: [level + depth] });
  for (const style of sections) {
    result.push({ ...style, levels: [level] });
    level += depthOf(style);
  }
  let levelsBelow = 0;
  for (const style of sorted.slice(upper.length)) {
    const above = sortedKnown.findLast(({ prominence }) => prominence > style.prominence)!.levels.at(-1)!;
    const below = sortedKnown.find(({ prominence }) => prominence < style.prominence)?.levels[0];
    const own = below === undefined ? above + levelsBelow + 1 : above < below ? above + 1 : below;
    if (below === undefined && style.members.length > 1) levelsBelow++;
    result.push({ ...style, levels: [own] });
  }
  return result;
}
