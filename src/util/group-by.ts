import { getOrCreate } from "./get-or-create.js";

/** Groups items by key, in order, as `Map.groupBy` does, which Node 20 lacks. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item, index: number) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  let index = 0;
  for (const item of items) getOrCreate(groups, keyOf(item, index++), () => []).push(item);
  return groups;
}
