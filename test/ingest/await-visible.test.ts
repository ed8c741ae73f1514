import { manualClock, memoryVectorStore } from "lorebase/testing";
import { expect, it } from "vitest";
import { awaitVisible } from "#dist/ingest/await-visible.js";
import { failureOf } from "../support/knowledge-base.js";

const SCOPE = { organizationId: "org_1", namespaceId: "ns_1", tenantId: null };
const IDS = ["doc_1.1.0", "doc_1.1.1", "doc_1.1.2"];

/** A store that finds one more of the ids with each look, or never any. */
function slowStore(looks: string[][], { ever = true } = {}) {
  return {
    ...memoryVectorStore({ provider: "SLOW" }),
    async findMissing(_: unknown, ids: readonly string[]) {
      looks.push([...ids]);
      return ever ? ids.slice(1) : ids;
    },
  };
}

it("polls until all vectors are found", async () => {
  const looks: string[][] = [];
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  await awaitVisible(slowStore(looks), SCOPE, IDS, { sleep });
  expect(looks).toEqual([IDS, IDS.slice(1), IDS.slice(2)]);
  expect(waits).toEqual([50, 100]);
  await awaitVisible(memoryVectorStore(), SCOPE, IDS, { sleep });
  await awaitVisible(slowStore(looks), SCOPE, [], { sleep });
  expect(looks).toHaveLength(3);
});

it("fails after a minute with a retryable error", async () => {
  const clock = manualClock();
  const waiting = failureOf(() => awaitVisible(slowStore([], { ever: false }), SCOPE, IDS, { sleep: clock.sleep }));
  await clock.advance(0);
  await clock.advance(59_000);
  expect(clock.sleeping).toBe(1);
  await clock.advance(5000);
  const error = await waiting;
  expect([error.code, error.retryable]).toEqual(["store_failed", true]);
  expect(error.message).toBe("SLOW doesn't find 3 of 3 vectors written a minute ago.");
});

it("stops when its caller is aborted", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const call = { sleep: clock.sleep, signal: controller.signal };
  const waiting = awaitVisible(slowStore([], { ever: false }), SCOPE, IDS, call);
  await clock.advance(0);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});
