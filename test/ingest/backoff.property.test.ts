import fc from "fast-check";
import { KnowledgeBaseError } from "lorebase";
import { describe, expect, it } from "vitest";
import { retryDelayMs } from "#dist/ingest/backoff.js";

const attempts = fc.nat(1000);
const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const FIFTEEN_MINUTES = 15 * 60_000;

describe("the delay before a retry", () => {
  it("lies between half and all of 2ⁿ seconds, up to 15 minutes", () => {
    fc.assert(
      fc.property(attempts, chances, (attempt, chance) => {
        const longest = Math.min(1000 * 2 ** attempt, FIFTEEN_MINUTES);
        const delay = retryDelayMs(attempt, chance);
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(longest / 2);
        expect(delay).toBeLessThanOrEqual(longest);
      }),
    );
  });

  it("grows with the attempts", () => {
    fc.assert(
      fc.property(attempts, chances, (attempt, chance) => {
        expect(retryDelayMs(attempt + 1, chance)).toBeGreaterThanOrEqual(retryDelayMs(attempt, chance));
      }),
    );
  });

  it("is spread randomly over its upper half", () => {
    fc.assert(
      fc.property(attempts, (attempt) => {
        const delays = [0, 0.25, 0.5, 0.75].map((chance) => retryDelayMs(attempt, chance));
        expect(new Set(delays).size).toBe(4);
        expect(delays).toEqual([...delays].sort((a, b) => a - b));
      }),
    );
  });

  it("is at least the Retry-After of a service, up to an hour", () => {
    const asking = (retryAfterMs: number) =>
      new KnowledgeBaseError("provider_failed", "too many", { retryable: true, retryAfterMs });
    fc.assert(
      fc.property(attempts, chances, fc.nat(100_000_000), (attempt, chance, asked) => {
        const delay = retryDelayMs(attempt, chance, asking(asked));
        expect(delay).toBe(Math.max(retryDelayMs(attempt, chance), Math.min(asked, 60 * 60_000)));
      }),
    );
  });

  it("is at most a day for a deferred error", () => {
    const deferred = (retryAfterMs: number) =>
      new KnowledgeBaseError("provider_failed", "later", { retryable: true, retryAfterMs, deferred: true });
    expect(retryDelayMs(1, 0, deferred(7 * 60 * 60_000))).toBe(7 * 60 * 60_000);
    expect(retryDelayMs(1, 0, deferred(70 * 60 * 60_000))).toBe(24 * 60 * 60_000);
  });
});
