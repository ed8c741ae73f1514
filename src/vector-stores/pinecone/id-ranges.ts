/** Ids of one generation that one query covers. */
export interface IdRange {
  /** `<documentId>.<generation>`. */
  readonly generation: string;
  readonly first: number;
  readonly last: number;
  readonly members: readonly string[];
}

/** Groups ids by generation, into ranges that span at most `size` numbers. */
export function idRanges(ids: readonly string[], size: number): readonly IdRange[] {
  const groups = new Map<string, { generation: string; numbers: number[]; members: string[] }>();
  for (const id of ids) {
    const dot = id.lastIndexOf(".");
    const generation = id.slice(0, dot);
    const number = Number(id.slice(dot + 1));
    const key = `${generation} ${Math.floor(number / size)}`;
    const group = groups.get(key) ?? { generation, numbers: [], members: [] };
    group.numbers.push(number);
    group.members.push(id);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ generation, numbers, members }) => {
    const sorted = numbers.toSorted((a, b) => a - b);
    return { generation, first: sorted[0]!, last: sorted.at(-1)!, members };
  });
}
