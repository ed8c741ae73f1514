import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { createFetchingServices } from "#dist/ingest/fetching-services.js";
import type { IngestEngine } from "#dist/ingest/ingest-engine.js";
import { IngestWorker } from "#dist/ingest/worker.js";
import { openEngine } from "../support/open-engine.js";

/** A worker whose timers don't fire. */
async function openWorker() {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { engine: opened, storage, directory, close } = await openEngine();
  onTestFinished(() => close());
  const fetching = createFetchingServices(directory, 1);
  const engine: IngestEngine = { ...opened, fetching, discover: {} as IngestEngine["discover"] };
  const worker = new IngestWorker(engine);
  onTestFinished(() => worker.stop());
  return { engine, storage, worker };
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
