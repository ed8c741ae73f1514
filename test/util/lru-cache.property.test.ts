import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { LruCache } from "#dist/util/lru-cache.js";

afterEach(() => void vi.useRealTimers());

const step = fc.oneof(
  fc.record({ do: fc.constant("set" as const), key: fc.nat(8), size: fc.nat(6) }),
  fc.record({ do: fc.constant("get" as const), key: fc.nat(8) }),
  fc.record({ do: fc.constant("delete" as const), key: fc.nat(8) }),
);

it("keeps the most recently used entries that its bounds allow", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = new LruCache<number, number>({ maxEntries: 4, maxSize: 10, sizeOf: (size) => size });
      // Least recently used first.
      let model: { key: number; size: number }[] = [];
      for (const taken of steps) {
        const known = model.find(({ key }) => key === taken.key);
        if (taken.do === "get") expect(cache.get(taken.key)).toBe(known?.size);
        model = model.filter((entry) => entry !== known);
        if (taken.do === "get" && known) model.push(known);
        if (taken.do === "delete") cache.delete(taken.key);
        if (taken.do !== "set") continue;
        cache.set(taken.key, taken.size);
        model.push({ key: taken.key, size: taken.size });
        const sizeOf = () => model.reduce((sum, { size }) => sum + size, 0);
        while (model.length > 1 && (model.length > 4 || sizeOf() > 10)) model.shift();
      }
      expect([...cache.values()]).toEqual(model.map(({ size }) => size));
      expect(cache.size).toBe(model.reduce((sum, { size }) => sum + size, 0));
      for (const { key, size } of model) expect(cache.get(key)).toBe(size);
    }),
  );
});

it("forgets entries after their time to live, which reading doesn't extend", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const cache = new LruCache<string, string>({ maxEntries: 4, ttlMs: 100 });
  cache.set("a", "value");
  vi.advanceTimersByTime(99);
  expect(cache.get("a")).toBe("value");
  vi.advanceTimersByTime(1);
  expect(cache.get("a")).toBeUndefined();
});
