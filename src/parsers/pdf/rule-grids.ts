import { groupBy } from "../../util/group-by.js";
import type { Rule } from "./ruling-lines.js";

/** Rules that cross each other: the borders of its columns and rows, and which of them are drawn. */
export interface Grid {
  /** Positions of the vertical lines, from left to right. */
  readonly xs: readonly number[];
  /** Positions of the horizontal lines, from top to bottom. */
  readonly ys: readonly number[];
  readonly rules: readonly Rule[];
}

/** Lines closer than this are one: the two edges of a thin bar, a line drawn in pieces. */
const TOLERANCE = 3;

/** The grids formed by a page's rules, each with at least two columns and two rows. */
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
      if (merged[i]!.isAcross !== merged[j]!.isAcross && touch(merged[i]!, merged[j]!)) parents[rootOf(i)] = rootOf(j);
    }
  }
  return [...groupBy(merged, (_, i) => rootOf(i)).values()].flatMap((group) => gridOf(group) ?? []);
}

/** Merges the pieces of one line. */
function mergeRules(rules: readonly Rule[]): Rule[] {
  const merged: Rule[] = [];
  for (const isAcross of [true, false]) {
    const sorted = rules.filter((rule) => rule.isAcross === isAcross).sort((a, b) => a.at - b.at);
    for (let i = 0; i < sorted.length; ) {
      const at = sorted[i]!.at;
      let end = i;
      while (end < sorted.length && sorted[end]!.at - at <= TOLERANCE) end++;
      const [first, ...pieces] = sorted.slice(i, end).sort((a, b) => a.from - b.from);
      merged.push(first!);
      for (const piece of pieces) {
        const open = merged.at(-1)!;
        if (piece.from > open.to + TOLERANCE) merged.push(piece);
        else merged[merged.length - 1] = { ...open, to: Math.max(open.to, piece.to) };
      }
      i = end;
    }
  }
  return merged.filter((rule) => rule.to - rule.from > TOLERANCE * 2);
}

function touch(a: Rule, b: Rule): boolean {
  return (
    a.at >= b.from - TOLERANCE && a.at <= b.to + TOLERANCE && b.at >= a.from - TOLERANCE && b.at <= a.to + TOLERANCE
  );
}

function gridOf(rules: readonly Rule[]): Grid | null {
  const across = rules.filter((rule) => rule.isAcross);
  const down = rules.filter((rule) => !rule.isAcross);
  if (across.length < 2 || down.length < 1) return null;
  // A table may be open at its sides, top and bottom: its lines end where the missing ones would be.
  const xs = places([...down.map((rule) => rule.at), ...openEnds(across, down)]);
  const ys = places([...across.map((rule) => rule.at), ...openEnds(down, across)]);
  return xs.length < 3 || ys.length < 3 ? null : { xs, ys, rules };
}

function openEnds(lines: readonly Rule[], ends: readonly Rule[]): number[] {
  const first = Math.min(...lines.map((rule) => rule.from));
  const last = Math.max(...lines.map((rule) => rule.to));
  return [
    ...(Math.min(...ends.map((rule) => rule.at)) - first > 12 ? [first] : []),
    ...(last - Math.max(...ends.map((rule) => rule.at)) > 12 ? [last] : []),
  ];
}

function places(numbers: readonly number[]): number[] {
  const places: number[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    if (places.length === 0 || number - places.at(-1)! > TOLERANCE) places.push(number);
  }
  return places;
}
