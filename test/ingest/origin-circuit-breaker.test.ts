import { KnowledgeBaseError } from "lorebase";
import { describe, expect, it } from "vitest";
import { FetchRetries } from "#dist/ingest/fetch-retries.js";
import { OriginCircuitBreaker } from "#dist/ingest/origin-circuit-breaker.js";

const ORIGIN = "http://a.example";
const silent = new KnowledgeBaseError("provider_failed", "does not respond", { retryable: true });
const busy = new KnowledgeBaseError("provider_failed", "answered 503", { retryable: true, httpStatus: 503 });

/** An origin as one organization's fetches find it. */
function origin(organizationId = "org_1", origins = new OriginCircuitBreaker()) {
  return {
    origins,
    note: (errors: readonly unknown[], now = 0) => {
      for (const error of errors) origins.record(organizationId, ORIGIN, { error, now });
    },
    isRefused: (now = 0) => origins.errorIfOpen(organizationId, ORIGIN, now) !== null,
  };
}

it("blocks an origin for half a minute after eight failures in a row, for that organization only", () => {
  const { origins, note, isRefused } = origin();
  note(Array(7).fill(silent));
  expect(isRefused()).toBe(false);
  note([silent]);
  expect([isRefused(0), isRefused(29_999), isRefused(30_000)]).toEqual([true, true, false]);
  expect(origin("org_2", origins).isRefused()).toBe(false);
  expect(origins.errorIfOpen("org_1", "http://b.example", 0)).toBeNull();
  // Asked again, it is silent still.
  note([silent], 40_000);
  expect([isRefused(69_999), isRefused(70_000)]).toEqual([true, false]);
});

it.each([
  ["an answer", null],
  ["a refusal", busy],
])("resets the count after %s", (_, between) => {
  const { note, isRefused } = origin();
  note([...Array(7).fill(silent), between, ...Array(7).fill(silent)]);
  expect(isRefused()).toBe(false);
  note([silent]);
  expect(isRefused()).toBe(true);
});

describe("files at an origin that is down", () => {
  /** Sixty files, each tried or refused when its time has come, eight of them at a time. */
  function batch(downMs: number) {
    const origins = new OriginCircuitBreaker();
    const tries = new FetchRetries();
    const left = new Set(Array.from({ length: 60 }, (_, index) => `doc_${index}`));
    const failures: string[] = [];
    const requested = new Set<string>();
    let now = 0;
    for (; left.size > 0; now += 500) {
      const due = [...left].filter((id) => tries.retryLaterError(id, now) === null);
      for (let next = 0; next < due.length; next += 8) {
        // They begin together, and end together.
        const begun = due
          .slice(next, next + 8)
          .map((id) => ({ id, refusal: origins.errorIfOpen("org_1", ORIGIN, now) }));
        for (const { id, refusal } of begun) {
          if (refusal === null) requested.add(id);
          const error = refusal ?? (now < downMs ? silent : null);
          if (refusal === null) origins.record("org_1", ORIGIN, { error, now });
          const failure = error && tries.recordFailure(id, error, { startedAt: now, now });
          if (KnowledgeBaseError.is(failure) && failure.retryable) continue;
          left.delete(id);
          if (KnowledgeBaseError.is(failure)) failures.push(failure.message);
        }
      }
    }
    return { failures, requested: requested.size, endedAt: now };
  }

  it("for a minute are all fetched: a blocked request is no attempt", () => {
    const { failures, requested } = batch(62_000);
    expect(failures).toEqual([]);
    expect(requested).toBe(60);
  });

  it("permanently fail within a quarter of an hour", () => {
    const { failures, endedAt } = batch(Number.POSITIVE_INFINITY);
    expect(failures).toHaveLength(60);
    for (const failure of failures) expect(failure).toMatch(/^Gave up after (?:[2-4] attempts|1\d minutes): /);
    expect(endedAt).toBeLessThanOrEqual(15 * 60_000);
  });
});

it.each([
  ["an abort", new DOMException("The job was stopped.", "AbortError")],
  ["a full disk", new KnowledgeBaseError("store_failed", "could not be written", { retryable: true })],
])("keeps the count after %s, which says nothing about the origin", (_, between) => {
  const { note, isRefused } = origin();
  note([...Array(7).fill(silent), between]);
  expect(isRefused()).toBe(false);
  note([silent, between]);
  expect(isRefused()).toBe(true);
});

it("reports how long an origin is blocked", () => {
  const origins = new OriginCircuitBreaker();
  for (let count = 0; count < 8; count++) origins.record("org_1", ORIGIN, { error: silent, now: 0 });
  const refusal = origins.errorIfOpen("org_1", ORIGIN, 12_000);
  expect(refusal).toMatchObject({ retryable: true, deferred: true, retryAfterMs: 18_000 });
});
