import fc from "fast-check";
import { KnowledgeBaseError } from "lorebase";
import { describe, expect, it } from "vitest";
import { retryDelayMs } from "#dist/ingest/backoff.js";
import { FetchRetries, nextAttemptDelayMs } from "#dist/ingest/fetch-retries.js";

const MINUTE = 60_000;
const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Tries a file until it is given up, each try failing after so long. Returns when each began and when the last ended. */
function run(durations: readonly number[], error: KnowledgeBaseError) {
  const tries = new FetchRetries();
  const began: number[] = [];
  let now = 1_000_000;
  for (let count = 0; ; count++) {
    const startedAt = now;
    began.push(startedAt);
    now += durations[count % durations.length]!;
    const failure = tries.recordFailure("doc_1", error, { startedAt, now });
    if (!KnowledgeBaseError.is(failure)) throw failure;
    if (!failure.retryable) return { began, endedAt: now, failure };
    now += retryDelayMs(count + 1, Math.random(), failure);
  }
}

const silent = new KnowledgeBaseError("provider_failed", "does not respond", { retryable: true });

describe("a file that can't be had for now", () => {
  it("is fetched two to four times, and fails within minutes of its slowest attempts", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10 * MINUTE), { minLength: 1, maxLength: 4 }), (durations) => {
        const { began, endedAt, failure } = run(durations, silent);
        expect(began.length).toBeGreaterThanOrEqual(2);
        expect(began.length).toBeLessThanOrEqual(4);
        expect(failure.message).toBe(`Gave up after ${began.length} attempts: does not respond`);
        const longest = Math.max(...durations);
        // Two tries, or three of which the third began within the five minutes and the longest wait.
        expect(endedAt - began[0]!).toBeLessThanOrEqual(Math.max(2 * longest, 5 * MINUTE + longest) + 80_000 + longest);
        if (longest <= 40_000) expect(endedAt - began[0]!).toBeLessThanOrEqual(5 * MINUTE);
      }),
    );
  });

  it("waits longer before each attempt, with half of it random", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), chances, (count, chance) => {
        const wait = nextAttemptDelayMs({ count, since: 0 }, MINUTE, chance)!;
        const longest = [5000, 20_000, 80_000][count - 1]!;
        expect(wait).toBeGreaterThanOrEqual(longest / 2);
        expect(wait).toBeLessThanOrEqual(longest);
      }),
    );
  });

  it("waits as long as its server asks, with no more attempts", () => {
    const busy = new KnowledgeBaseError("provider_failed", "answered 503", {
      retryable: true,
      retryAfterMs: 60_000,
      httpStatus: 503,
    });
    const { began, failure } = run([10], busy);
    expect(began.length).toBe(4);
    for (const [index, at] of began.slice(1).entries()) expect(at - began[index]!).toBeGreaterThanOrEqual(60_000);
    expect(failure.httpStatus).toBe(503);
  });

  it("starts over after a success", () => {
    const tries = new FetchRetries();
    const fail = () => tries.recordFailure("doc_1", silent, { startedAt: 0, now: 0 }) as KnowledgeBaseError;
    for (let round = 0; round < 3; round++) {
      expect([fail(), fail(), fail()].map(({ retryable }) => retryable)).toEqual([true, true, true]);
      tries.recordSuccess("doc_1");
    }
  });
});

it("a permanent failure is neither counted nor changed", () => {
  const refused = new KnowledgeBaseError("provider_failed", "answered 404", { httpStatus: 404 });
  const aborted = new DOMException("The job was stopped.", "AbortError");
  for (const error of [refused, aborted])
    expect(new FetchRetries().recordFailure("doc_1", error, { startedAt: 0, now: 0 })).toBe(error);
});

it("a full disk and an abort don't count as attempts, and keep the count", () => {
  const full = new KnowledgeBaseError("store_failed", "could not be written", { retryable: true });
  const aborted = new DOMException("The job was stopped.", "AbortError");
  const tries = new FetchRetries();
  const fail = (error: unknown) => tries.recordFailure("doc_1", error, { startedAt: 0, now: 0 });
  const ends: unknown[] = [];
  for (let count = 0; count < 4; count++) {
    for (const error of [full, aborted, full]) expect(fail(error)).toBe(error);
    const failure = fail(silent);
    ends.push(KnowledgeBaseError.is(failure) && failure.retryable);
  }
  expect(ends).toEqual([true, true, true, false]);
});
