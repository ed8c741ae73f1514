import { KnowledgeBaseError } from "lorebase";
import { expect, it } from "vitest";
import { SilentOrigins } from "#dist/ingest/silent-origins.js";

const silent = new KnowledgeBaseError("provider_failed", "gives no answer", { retryable: true });
const busy = new KnowledgeBaseError("provider_failed", "answered 503", { retryable: true, vendorStatus: 503 });

/** An origin as one organization's fetches find it. */
function origin(organizationId = "org_1", origins = new SilentOrigins()) {
  return {
    origins,
    note: (errors: readonly unknown[], now = 0) => {
      for (const error of errors) origins.note(organizationId, "http://a.example", { error, now });
    },
    isRefused: (now = 0) => origins.refusal(organizationId, "http://a.example", now) !== null,
  };
}

it("leaves an origin alone for half a minute after eight requests without a proper answer, for that organization only", () => {
  const { origins, note, isRefused } = origin();
  note(Array(7).fill(silent));
  expect(isRefused()).toBe(false);
  note([silent]);
  expect([isRefused(0), isRefused(29_999), isRefused(30_000)]).toEqual([true, true, false]);
  expect(origin("org_2", origins).isRefused()).toBe(false);
  expect(origins.refusal("org_1", "http://b.example", 0)).toBeNull();
  // Asked again, it is silent still.
  note([silent], 40_000);
  expect([isRefused(69_999), isRefused(70_000)]).toEqual([true, false]);
});

it.each([
  ["an answer", null],
  ["a refusal", busy],
])("begins to count anew after %s", (_, between) => {
  const { note, isRefused } = origin();
  note([...Array(7).fill(silent), between, ...Array(7).fill(silent)]);
  expect(isRefused()).toBe(false);
  note([silent]);
  expect(isRefused()).toBe(true);
});
