import { createHook } from "node:async_hooks";
import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { ActiveSearches } from "../../src/engine/active-searches.js";

const { signal } = new AbortController();
const HOUR = 3_600_000;

function openSearch(searches: ActiveSearches) {
  const { promise, end } = pending();
  return { ended: searches.run(() => promise), end };
}

function pending() {
  let end = () => {};
  const promise = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { promise, end };
}

it("waits until the last search ends, also if it fails", async () => {
  const searches = new ActiveSearches();
  await searches.waitForNone(HOUR, { signal });
  const [first, second] = [openSearch(searches), openSearch(searches)];
  const failing = searches.run(() => Promise.reject(new Error("The model is gone.")));
  let isIdle = false;
  const waited = searches.waitForNone(HOUR, { signal }).then(() => {
    isIdle = true;
  });
  await expect(failing).rejects.toThrow("The model is gone.");
  first.end();
  await first.ended;
  await new Promise(setImmediate);
  expect(isIdle).toBe(false);
  second.end();
  await waited;
});

it("leaves no timer and no listener behind", async () => {
  const searches = new ActiveSearches();
  const { ended, end } = openSearch(searches);
  const { signal } = new AbortController();
  const timers = new Set<number>();
  let isCalling = true;
  const init = (id: number, type: string) => void (isCalling && type === "Timeout" && timers.add(id));
  const hook = createHook({ init, destroy: (id) => void timers.delete(id) }).enable();
  const waited = searches.waitForNone(HOUR, { signal });
  isCalling = false;
  expect(timers.size).toBe(1);
  end();
  await Promise.all([ended, waited]);
  // The destruction is told in a later turn of the event loop.
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  hook.disable();
  expect(timers.size).toBe(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it("waits no longer than it may, and not once it is aborted", async () => {
  const searches = new ActiveSearches();
  const { ended, end } = openSearch(searches);
  await searches.waitForNone(1, { signal });
  const aborting = new AbortController();
  const waited = searches.waitForNone(HOUR, { signal: aborting.signal });
  aborting.abort();
  await expect(waited).rejects.toThrow("aborted");
  end();
  await ended;
});
