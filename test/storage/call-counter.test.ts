import { expect, it } from "vitest";
import { MemoryCallCounter } from "#dist/storage/call-counter.js";

it("a window starts with its first call and ends with its time", async () => {
  let now = 0;
  const counter = new MemoryCallCounter(() => now);
  const count = (key: string) => counter.count({ key, limit: 2, windowMs: 60_000 });
  expect(await count("a")).toEqual({ isAllowed: true, remaining: 1, resetMs: 60_000 });
  expect(await count("a")).toEqual({ isAllowed: true, remaining: 0, resetMs: 60_000 });
  expect(await count("a")).toEqual({ isAllowed: false, remaining: 0, resetMs: 60_000 });
  now = 59_500;
  expect(await count("a")).toEqual({ isAllowed: false, remaining: 0, resetMs: 500 });
  expect((await count("b")).isAllowed).toBe(true);
  now = 60_000;
  expect(await count("a")).toEqual({ isAllowed: true, remaining: 1, resetMs: 60_000 });
});
