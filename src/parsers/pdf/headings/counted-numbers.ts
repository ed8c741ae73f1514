import { groupBy } from "../../../util/group-by.js";
import { maxOf } from "../page/statistics.js";
import { compareNumbers, type NumberFormat, type SectionNumber } from "./section-number.js";

type Path = readonly number[];

/** Share of the numbers that may be less than the one before: a heading may be mistaken. */
const MAX_DISORDER = 0.1;

/** A document has fewer styles of numbered headings, for each length of their numbers; more take too long. */
const MAX_GROUPS = 100;

/**
 * Returns the depth of each heading's number, from 1; `null` for headings without a number that counts through the
 * document. The numbers of steps begin anew, so that they don't go on from the sections before.
 *
 * @param numbers In the order of the document.
 * @param styles Equal for headings that look the same.
 */
export function countedNumbers(
  numbers: readonly (SectionNumber | null)[],
  styles: readonly string[],
): (number | null)[] {
  let counted: readonly (readonly [index: number, path: Path])[] = [];
  const addIfInOrder = (paths: readonly (readonly [index: number, path: Path])[]): void => {
    const all = [...counted, ...paths].sort(([a], [b]) => a - b);
    const disordered = all.filter(([, path], i) => i > 0 && compareNumbers(all[i - 1]![1], path) >= 0);
    if (disordered.length <= all.length * MAX_DISORDER) counted = all;
  };
  const indexesOf = (...formats: readonly NumberFormat[]): number[] =>
    numbers.flatMap((number, i) => (number !== null && formats.includes(number.format) ? [i] : []));
  const pathOf = (i: number): Path => numbers[i]!.path;

  const sections = groupBy(indexesOf("section"), (i) => `${styles[i]} ${pathOf(i).length}`);
  for (const group of [...sections.values()].sort((a, b) => b.length - a.length).slice(0, MAX_GROUPS))
    addIfInOrder(group.map((i) => [i, pathOf(i)]));
  // Appendices follow the sections, in their style.
  const topLevel = counted.flatMap(([i, path]) => (path.length === 1 ? i : []));
  const sectionStyles = new Set(topLevel.map((i) => styles[i]!));
  const last = maxOf(topLevel);
  for (const group of groupBy(indexesOf("letter", "bareLetter"), (i) => styles[i]!).values())
    if (sectionStyles.has(styles[group[0]!]!) && group[0]! > last) addIfInOrder(group.map((i) => [i, pathOf(i)]));
  const depths = new Map(counted.map(([i, path]) => [i, path.length]));
  return numbers.map((_, i) => depths.get(i) ?? null);
}
