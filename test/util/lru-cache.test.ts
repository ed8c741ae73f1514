import { expect, it } from "vitest";
import { LruCache } from "../../src/util/lru-cache.js";

it("lists the values that are kept, the least recently used first", () => {
  const cache = new LruCache<string, number>({ maxEntries: 2 });
  for (const [key, value] of [
    ["a", 1],
    ["b", 2],
  ] as const)
    cache.set(key, value);
  cache.get("a");
  cache.set("c", 3);
  expect([...cache.values()]).toEqual([1, 3]);
});
