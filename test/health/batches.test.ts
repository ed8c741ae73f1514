import { afterAll, beforeAll, expect, it } from "vitest";
import { Budget } from "#dist/health/budget.js";
import { findNearDuplicates } from "#dist/health/find-near-duplicates.js";
import type { ComparisonOperations } from "../../src/health/comparison-thread.js";
import type { RpcThread } from "../../src/rpc/rpc-thread.js";
import { type OpenEngine, openEngine } from "../support/open-engine.js";
import { addDocument, NAMESPACE, ORGANIZATION, type StoredDocument } from "../support/stored-documents.js";

const SIGNATURE_BYTES = 128;
/** More than a batch, in more parts than are read at once. */
const SIZES = Array.from({ length: 600 }, (_, index) => (index < 250 ? 256 : 1));

let opened: OpenEngine;
let document: StoredDocument;
beforeAll(async () => {
  opened = await openEngine();
  await opened.storage.organizations.create(ORGANIZATION);
  await opened.storage.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
  document = await addDocument(opened.storage, "handbook", { chunks: [{ text: "one" }] });
  const parts = SIZES.map((passages, index) => {
    const signatures = new Uint8Array(passages * SIGNATURE_BYTES).fill(255);
    return { first: index * 256, passages, signatures };
  });
  await opened.storage.health.recordSignatures({
    documents: [{ seq: document.seq, generation: document.generation, parts }],
  });
});
afterAll(() => opened.close());

/** Finds nothing, and tells what it is asked. */
function threadThat(onCall: (operation: string, input: unknown) => void) {
  const call = async (operation: string, input: unknown) => {
    onCall(operation, input);
    return [];
  };
  return { call } as unknown as RpcThread<ComparisonOperations>;
}

it("ends within a batch if the caller aborts, and compares it with all others the next time", async () => {
  const controller = new AbortController();
  const stopped = new Error("stopped");
  const searches: string[] = [];
  const aborting = threadThat((operation) => {
    searches.push(operation);
    if (operation === "find") controller.abort(stopped);
  });
  const budget = new Budget(600_000, controller.signal);
  await expect(findNearDuplicates(opened.engine, document.scopeId, aborting, budget)).rejects.toBe(stopped);
  expect(searches).toEqual(["index", "find"]);

  const indexed: number[] = [];
  const thread = threadThat((operation, input) => {
    if (operation === "index") indexed.push((input as Uint8Array).length / SIGNATURE_BYTES);
  });
  const unlimited = new Budget(600_000, undefined);
  expect(await findNearDuplicates(opened.engine, document.scopeId, thread, unlimited)).toBe(true);
  expect(indexed).toEqual([50_176, 14_174]);
});
