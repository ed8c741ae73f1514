import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { openFetchingServices } from "#dist/ingest/fetching-services.js";
import type { IngestEngine } from "#dist/ingest/ingest-engine.js";
import { IngestWorker } from "#dist/ingest/worker.js";
import { openEngine } from "../support/open-engine.js";

it("claims again if work was added during a claim", async () => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const opened = await openEngine();
  onTestFinished(() => opened.close());
  const fetching = openFetchingServices(opened.directory, 1);
  const engine: IngestEngine = { ...opened.engine, fetching, discover: {} as IngestEngine["discover"] };
  const worker = new IngestWorker(engine);
  onTestFinished(() => worker.stop());
  const claim = vi.spyOn(opened.storage.tasks, "claim").mockImplementation(async () => {
    await setImmediate();
    // Only during the first claim.
    if (claim.mock.calls.length === 1) engine.events.workAdded();
    return null;
  });
  await worker.start();
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(claim).toHaveBeenCalledTimes(2);
});
