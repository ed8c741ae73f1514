import { afterEach, expect, it, vi } from "vitest";
import { RecentChoices } from "#dist/vector-stores/pgvector/recent-choices.js";
import type { SearchChoice } from "../../../src/vector-stores/pgvector/choose-search.js";

const SEARCH = { scope: "org.ns", dimensions: 3, direction: [1, 0, 0], topK: 10, condition: null };
const FILTERED = { ...SEARCH, condition: { op: "has", tokens: ["a"] } } as const;

afterEach(() => vi.useRealTimers());

it("keeps a choice for a minute, and one without an index for ten seconds or until one is built", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const choices = new RecentChoices();
  const choose = (search: typeof SEARCH | typeof FILTERED, choice: SearchChoice) =>
    choices.choose(search, async () => choice);
  expect(await choose(SEARCH, "not indexed yet")).toBe("not indexed yet");
  vi.advanceTimersByTime(9999);
  expect(await choose(SEARCH, "indexed")).toBe("not indexed yet");
  vi.advanceTimersByTime(1);
  expect(await choose(SEARCH, "not indexed yet")).toBe("not indexed yet");
  choices.forgetUnindexed();
  expect(await choose(SEARCH, "indexed")).toBe("indexed");
  expect(await choose(FILTERED, "exact")).toBe("exact");
  vi.advanceTimersByTime(59_000);
  expect(await choose({ ...SEARCH, direction: [0, 1, 0], topK: 5 }, "exact")).toBe("indexed");
  expect(await choose({ ...SEARCH, scope: "org.other" }, "exact")).toBe("exact");
  vi.advanceTimersByTime(1000);
  expect(await choose(SEARCH, "exact")).toBe("exact");
});
