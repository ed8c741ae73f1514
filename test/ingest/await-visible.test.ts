import { manualClock, memoryVectorStore } from "lorebase/testing";
import { expect, it } from "vitest";
import { awaitVisible } from "#dist/ingest/await-visible.js";
import { sendChunks } from "#dist/ingest/send-chunks.js";
import type { VectorStore } from "../../src/interfaces/vector-store.js";
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

it("sends the vectors of all tenants before it waits for any of them", async () => {
  const tenants = ["acme", "globex", "initech"];
  const upserted = new Set<string | null>();
  const store: VectorStore = {
    ...memoryVectorStore({ provider: "SLOW" }),
    async upsert({ tenantId }) {
      upserted.add(tenantId);
    },
    async findMissing(_, ids) {
      return upserted.size === tenants.length ? [] : ids;
    },
  };
  const chunks = tenants.map((tenantId, index) => ({
    ...{ scopeId: index, chunkSeq: index, documentSeq: index, documentId: `doc_${index}`, tenantId },
    ...{ generation: 1, ordinal: 0, totalChunks: 1, text: "", page: null, headings: "[]", metadata: "{}" },
    ...{ vector: null, vectorHash: null },
  }));
  const vectors = chunks.map(() => new Float32Array([1]));
  const owner = { organizationId: "org_1", namespaceId: "ns_1" };
  await sendChunks(store, owner, chunks, vectors, {});
  expect([...upserted]).toEqual(tenants);
});
