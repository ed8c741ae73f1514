import { groupBy } from "../../../util/group-by.js";
import { countedNumbers } from "./counted-numbers.js";
import { sectionNumber } from "./section-number.js";
import { type Levels, levelsByStyle, roundedSize, type StyledHeading } from "./style-levels.js";

/** What a document tells about a heading. */
export interface HeadingEvidence {
  readonly text: string;
  /** In points. */
  readonly size: number;
  readonly isBold: boolean;
  /** The level in the structure tags; `null` if it isn't tagged. */
  readonly tagLevel: number | null;
  /** The depth in the outline, from 1; `null` if it isn't there. */
  readonly outlineDepth: number | null;
  /** The depth on the contents page, from 1; `null` if it isn't there. */
  readonly contentsDepth: number | null;
  /** Whether it is in a margin of the page and has the page's number. @default false */
  readonly hasPageNumber?: boolean;
}

interface Heading extends HeadingEvidence, StyledHeading {
  /** The depth of its number, if that counts through the document. */
  readonly numberDepth: number | null;
}

/** Sizes that differ by less are no evidence against levels. */
const MIN_SIZE_RATIO = 1.05;
/** With so many headings in each of two sizes, one level for both is a mistake. */
const MIN_DISTINCT_HEADINGS = 3;

/**
 * Returns the level of each heading of a document, from 1. Tags come first, then the outline, the contents page and the
 * numbers of sections. Each counts only if it agrees with sizes and numbers, and is aligned to those before. The other
 * headings have the level of their style.
 */
export function headingLevels(evidence: readonly HeadingEvidence[]): number[] {
  const headings = withNumbers(evidence);
  const trusted = (scale: Levels): Levels => (isTrusted(headings, scale) ? scale : scale.map(() => null));
  const tags = trusted(headings.map(({ tagLevel }) => tagLevel));
  const known = [
    trusted(headings.map(({ outlineDepth }) => outlineDepth)),
    trusted(headings.map(({ contentsDepth }) => contentsDepth)),
    trusted(headings.map(({ numberDepth }) => numberDepth)),
  ].reduce(aligned, tags);
  const levels = levelsByStyle(headings, known);
  if (tags.some((level) => level !== null)) return levels.map((level) => Math.min(6, Math.max(1, level)));
  const used = [...new Set(levels)].sort((a, b) => a - b);
  return levels.map((level) => Math.min(6, used.indexOf(level) + 1));
}

function withNumbers(evidence: readonly HeadingEvidence[]): Heading[] {
  const numbers = evidence.map(({ text, hasPageNumber }) => (hasPageNumber === true ? null : sectionNumber(text)));
  const styles = evidence.map(({ size, isBold }) => `${roundedSize(size)} ${isBold}`);
  const counted = countedNumbers(numbers, styles);
  return evidence.map((heading, i) => ({
    ...heading,
    style: styles[i]!,
    numberDepth: counted[i]!,
    format: counted[i] === null && numbers[i]?.format !== "section" ? (numbers[i]?.format ?? null) : null,
  }));
}

/** Whether larger headings and those with shorter numbers are mostly at higher levels of a scale. */
function isTrusted(headings: readonly Heading[], scale: Levels): boolean {
  const indexes = headings.flatMap((_, i) => (scale[i] === null ? [] : [i]));
  const groupsBy = <Key>(keyOf: (heading: Heading) => Key) =>
    [...groupBy(indexes, (i) => keyOf(headings[i]!))].map(([key, members]) => ({
      key,
      count: members.length,
      level: members.reduce((sum, i) => sum + scale[i]!, 0) / members.length,
    }));
  const sizes = groupsBy(({ size }) => roundedSize(size)).sort((a, b) => b.key - a.key);
  const depths = groupsBy(({ numberDepth }) => numberDepth ?? Number.POSITIVE_INFINITY)
    .filter(({ key }) => key < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.key - b.key);
  if (new Set(indexes.map((i) => scale[i])).size === 1) {
    const [largest, ...others] = sizes.filter(({ count }) => count >= MIN_DISTINCT_HEADINGS);
    return depths.length < 2 && !others.some(({ key }) => key * MIN_SIZE_RATIO < largest!.key);
  }
  let balance = 0;
  for (const groups of [sizes, depths])
    for (const [i, higher] of groups.entries())
      for (const lower of groups.slice(i + 1))
        if (groups === depths || lower.key * MIN_SIZE_RATIO < higher.key)
          balance += Math.sign(Math.round(lower.level - higher.level)) * Math.min(lower.count, higher.count);
  return balance >= 0;
}

/**
 * Adds the levels of another scale to headings without one, at the distance that the two have where both are known. A
 * scale that has no heading in common with the levels, such as the numbers of steps, says nothing of its distance.
 */
function aligned(levels: Levels, scale: Levels): Levels {
  const both = groupBy(
    scale.flatMap((value, i) => (value === null || levels[i] === null ? [] : [{ value, level: levels[i]! }])),
    ({ value }) => value,
  );
  if (both.size === 0 && levels.some((level) => level !== null)) return levels;
  const known = [...both].map(([value, pairs]) => ({ value, level: mostFrequent(pairs.map(({ level }) => level)) }));
  const levelOf = (value: number): number => {
    const nearest = known.toSorted((a, b) => Math.abs(a.value - value) - Math.abs(b.value - value))[0];
    return nearest === undefined ? value : nearest.level + value - nearest.value;
  };
  const byValue = new Map([...new Set(scale)].map((value) => [value, value === null ? null : levelOf(value)]));
  return levels.map((level, i) => level ?? byValue.get(scale[i]!)!);
}

function mostFrequent(values: readonly number[]): number {
  return [...groupBy(values, (value) => value)].reduce((a, b) => (b[1].length > a[1].length ? b : a))[0];
}
