import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startDetachedWrite } from "#dist/ingest/detached-write.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A write that goes on until it is told to end, and what became of it. */
function begin() {
  const [job, closing] = [new AbortController(), new AbortController()];
  const heard: string[] = [];
  let finish = () => {};
  const { outcome, ended } = startDetachedWrite(
    (signal) =>
      new Promise((resolve, reject) => {
        finish = resolve;
        signal.addEventListener("abort", () => {
          heard.push("broken off");
          reject(signal.reason);
        });
      }),
    { signal: job.signal, closing: closing.signal },
  );
  outcome.then(
    () => heard.push("done"),
    (error: Error) => heard.push(error.message),
  );
  ended.then(() => heard.push("ended"));
  return { heard, finish: () => finish(), stop: () => job.abort(new Error("stopped")), close: () => closing.abort() };
}

it("is awaited while nothing is aborted", async () => {
  const { heard, finish } = begin();
  await vi.advanceTimersByTimeAsync(100_000);
  finish();
  await vi.advanceTimersByTimeAsync(0);
  expect(heard.toSorted()).toEqual(["done", "ended"]);
});

it("continues for half a minute after its job was stopped, which takes two seconds", async () => {
  const { heard, stop } = begin();
  stop();
  await vi.advanceTimersByTimeAsync(1400);
  expect(heard).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  expect(heard).toEqual(["stopped"]);
  await vi.advanceTimersByTimeAsync(28_000);
  expect(heard).toEqual(["stopped"]);
  await vi.advanceTimersByTimeAsync(200);
  expect(heard).toEqual(["stopped", "broken off", "ended"]);
});

it("that ends in time resolves despite the abort", async () => {
  const { heard, stop, finish } = begin();
  stop();
  await vi.advanceTimersByTimeAsync(1000);
  finish();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard.toSorted()).toEqual(["done", "ended"]);
});

it.each(["before", "after"])(
  "ends with the process, which begins to close %s its job has let go of it",
  async (when) => {
    const { heard, stop, close } = begin();
    if (when === "before") close();
    stop();
    await vi.advanceTimersByTimeAsync(2000);
    if (when === "after") {
      expect(heard).toEqual(["stopped"]);
      close();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(heard.toSorted()).toEqual(["broken off", "ended", "stopped"]);
  },
);
