/** Ids of one generation that a single query covers. */
export interface IdRange {
  /** `<documentId>.<generation>`. */
  readonly generation: string;
  readonly first: number;
  readonly last: number;
  readonly ids: readonly string[];
}

/** Groups ids by generation into ranges that span at most `maxSpan` numbers. */
export function idRanges(ids: readonly string[], maxSpan: number): readonly IdRange[] {
  const groups = new Map<string, { generation: string; numbers: number[]; ids: string[] }>();
  for (const id of ids) {
    const dot = id.lastIndexOf(".");
    const generation = id.slice(0, dot);
    const number = Number(id.slice(dot + 1));
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
