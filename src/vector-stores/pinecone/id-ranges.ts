/** Ids of one generation that a single query can look up. */
export interface IdRange {
  /** `<documentId>.<generation>`. */
  readonly generation: string;
  /** The lowest and the highest number at the end of the ids. */
  readonly first: number;
  readonly last: number;
  readonly ids: readonly string[];
}

/** Groups ids by generation into ranges that span at most `maxSpan` numbers. */
export function toIdRanges(ids: readonly string[], maxSpan: number): readonly IdRange[] {
  const groups = new Map<string, { generation: string; numbers: number[]; ids: string[] }>();
  for (const id of ids) {
    const dotAt = id.lastIndexOf(".");
    const generation = id.slice(0, dotAt);
    const number = Number(id.slice(dotAt + 1));
    const key = `${generation} ${Math.floor(number / maxSpan)}`;
    const group = groups.get(key) ?? { generation, numbers: [], ids: [] };
    group.numbers.push(number);
    group.ids.push(id);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ generation, numbers, ids }) => {
    const sorted = numbers.toSorted((a, b) => a - b);
    return { generation, first: sorted[0]!, last: sorted.at(-1)!, ids };
  });
}
