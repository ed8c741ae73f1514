/** Chance that can be replayed: the same seed gives the same course. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** From `low` to `high`, both included. */
  integer(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** The generator mulberry32: small, and good enough to choose moments and sizes. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const integer = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return { next, integer, pick: (items) => items[integer(0, items.length - 1)]! };
}
