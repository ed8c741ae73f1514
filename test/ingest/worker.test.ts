import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { createFetchingServices } from "#dist/ingest/fetching-services.js";
import type { IngestEngine } from "#dist/ingest/ingest-engine.js";
import { IngestWorker } from "#dist/ingest/worker.js";
import { LEXICAL } from "../support/knowledge-base.js";
import { openEngine } from "../support/open-engine.js";

/** A worker whose timers don't fire, and whose time is that of `setNow`. */
async function openWorker() {
  let now = Date.now();
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const opening = await openEngine({ clock: () => new Date(now) });
  const { engine: opened, storage, directory } = opening;
  onTestFinished(() => opening.close());
  const fetching = createFetchingServices(directory, 1);
  const engine: IngestEngine = { ...opened, fetching, discover: {} as IngestEngine["discover"] };
  const worker = new IngestWorker(engine);
  onTestFinished(() => worker.stop());
  const setNow = (time: number) => {
    now = time;
  };
  return { engine, storage, worker, setNow, organization: opening.organization() };
}

it("claims again if work was added during a claim", async () => {
  const { engine, storage, worker } = await openWorker();
  const claim = vi.spyOn(storage.tasks, "claim").mockImplementation(async () => {
    await setImmediate();
    // Only during the first claim.
    if (claim.mock.calls.length === 1) engine.events.emitWorkAdded();
    return null;
  });
  await worker.start();
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(claim).toHaveBeenCalledTimes(2);
});

it("performs a last step of maintenance when it stops, if it was started", async () => {
  const { storage, worker } = await openWorker();
  const maintain = vi.spyOn(storage.index, "maintain").mockImplementation(async () => false);
  await worker.stop();
  expect(maintain).not.toHaveBeenCalled();
  const { storage: other, worker: started } = await openWorker();
  const step = vi.spyOn(other.index, "maintain").mockImplementation(async () => false);
  await started.start();
  expect(step).toHaveBeenCalledTimes(1);
  await started.stop();
  expect(step).toHaveBeenCalledTimes(2);
});

it("takes up again a task that it could neither complete nor release", async () => {
  const { engine, storage, worker, setNow, organization } = await openWorker();
  const { id } = await organization.namespaces.create({ name: "Notes", slug: "notes", embeddingConfig: LEXICAL });
  await organization.namespaces.delete(id);
  const lost = new Error("The connection was lost.");
  vi.spyOn(storage.tasks, "complete").mockRejectedValueOnce(lost);
  vi.spyOn(storage.tasks, "release").mockRejectedValueOnce(lost);
  let failures = 0;
  const stopping = new AbortController();
  using _errors = engine.events.on("error", () => {
    if (++failures === 2) stopping.abort();
  });
  await expect(worker.drain({ signal: stopping.signal })).rejects.toThrow();
  expect(await storage.tasks.count()).toBe(1);
  // The process lives and sends heartbeats, but its lease on this task expires.
  setNow(engine.now() + 61_000);
  await worker.drain();
  expect(await storage.tasks.count()).toBe(0);
});

it("reports a failure once if the task's lease expired in the meantime", async () => {
  const { engine, storage, worker, organization } = await openWorker();
  const { id } = await organization.namespaces.create({ name: "Notes", slug: "notes", embeddingConfig: LEXICAL });
  await organization.namespaces.delete(id);
  const lost = new Error("The connection was lost.");
  vi.spyOn(storage.tasks, "complete").mockImplementationOnce(async () => {
    // As another process does once the lease has expired.
    await storage.tasks.reclaim({ deadProcesses: [], now: engine.now() + 61_000, leaseMs: 40_000 });
    throw lost;
  });
  const errors: unknown[] = [];
  using _errors = engine.events.on("error", ({ error }) => errors.push(error));
  await worker.drain();
  expect(errors).toEqual([lost]);
  expect(await storage.tasks.count()).toBe(0);
});
