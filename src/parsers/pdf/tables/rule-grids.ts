import { groupBy } from "../../../util/group-by.js";
import type { Rule } from "../page/page-drawing.js";

/** A grid of rules that cross each other. */
export interface Grid {
  /** Positions of the vertical lines, from left to right. */
  readonly xs: readonly number[];
  /** Positions of the horizontal lines, from top to bottom. */
  readonly ys: readonly number[];
  /** The rules that are drawn; borders of cells may be missing. */
  readonly rules: readonly Rule[];
}

/** Lines closer than this count as one line: two edges of a thin bar, or a line drawn in parts. */
const TOLERANCE = 3;

/** Finds the grids formed by a page's rules, each with at least two columns and two rows. */
export function ruleGrids(rules: readonly Rule[]): Grid[] {
  const merged = mergeRules(rules);
  const parents = merged.map((_, i) => i);
  const rootOf = (i: number): number => {
    let root = i;
    while (parents[root] !== root) root = parents[root]!;
    parents[i] = root;
    return root;
  };
  for (let i = 0; i < merged.length; i++) {
    for (let j = i + 1; j < merged.length; j++) {
      if (merged[i]!.isHorizontal !== merged[j]!.isHorizontal && areCrossing(merged[i]!, merged[j]!))
        parents[rootOf(i)] = rootOf(j);
    }
  }
  return [...groupBy(merged, (_, i) => rootOf(i)).values()].flatMap((group) => gridOf(group) ?? []);
}

/** Merges the parts of each line. */
export function mergeRules(rules: readonly Rule[]): Rule[] {
  const merged: Rule[] = [];
  for (const isHorizontal of [true, false]) {
    const sorted = rules.filter((rule) => rule.isHorizontal === isHorizontal).sort((a, b) => a.at - b.at);
    for (let i = 0; i < sorted.length; ) {
      const at = sorted[i]!.at;
      let end = i;
      while (end < sorted.length && sorted[end]!.at - at <= TOLERANCE) end++;
      const [first, ...others] = sorted.slice(i, end).sort((a, b) => a.from - b.from);
      merged.push(first!);
      for (const rule of others) {
        const current = merged.at(-1)!;
        if (rule.from > current.to + TOLERANCE) merged.push(rule);
        else merged[merged.length - 1] = { ...current, to: Math.max(current.to, rule.to) };
      }
      i = end;
    }
  }
  return merged.filter((rule) => rule.to - rule.from > TOLERANCE * 2);
}

function areCrossing(a: Rule, b: Rule): boolean {
  return (
    a.at >= b.from - TOLERANCE && a.at <= b.to + TOLERANCE && b.at >= a.from - TOLERANCE && b.at <= a.to + TOLERANCE
  );
}

function gridOf(rules: readonly Rule[]): Grid | null {
  const horizontal = rules.filter((rule) => rule.isHorizontal);
  const vertical = rules.filter((rule) => !rule.isHorizontal);
  if (horizontal.length < 2 || vertical.length < 1) return null;
  // A table may be open at its sides, top and bottom: its lines end where the missing borders would be.
  const xs = distinctPositions([...vertical.map((rule) => rule.at), ...missingBorders(horizontal, vertical)]);
  const ys = distinctPositions([...horizontal.map((rule) => rule.at), ...missingBorders(vertical, horizontal)]);
  return xs.length < 3 || ys.length < 3 ? null : { xs, ys, rules };
}

function missingBorders(lines: readonly Rule[], ends: readonly Rule[]): number[] {
  const first = Math.min(...lines.map((rule) => rule.from));
  const last = Math.max(...lines.map((rule) => rule.to));
  return [
    ...(Math.min(...ends.map((rule) => rule.at)) - first > 12 ? [first] : []),
    ...(last - Math.max(...ends.map((rule) => rule.at)) > 12 ? [last] : []),
  ];
}

function distinctPositions(numbers: readonly number[]): number[] {
  const positions: number[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    if (positions.length === 0 || number - positions.at(-1)! > TOLERANCE) positions.push(number);
  }
  return positions;
}
