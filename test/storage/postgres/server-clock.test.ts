import { expect, it, onTestFinished, vi } from "vitest";
import { runOperation } from "#dist/storage/postgres/run-operation.js";
import { ServerClock } from "#dist/storage/postgres/server-clock.js";
import type { Tx } from "../../../src/storage/tx.js";

it("is the difference of the clocks, which an answer that comes late doesn't change", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = new ServerClock();
  const measure = async (offsetMs: number, beforeMs: number, afterMs: number) => {
    const answer = () => {
      vi.setSystemTime(Date.now() + beforeMs);
      const time = Date.now() + offsetMs;
      vi.setSystemTime(Date.now() + afterMs);
      return { done: true, value: { time } };
    };
    const tx = { get: () => ({ [Symbol.iterator]: () => ({ next: answer }) }) } as unknown as Tx;
    await runOperation(clock.measure(tx));
    return clock.offsetMs;
  };
  expect(await measure(3, 4, 4)).toBe(0);
  expect(await measure(2000, 10, 20)).toBe(1995);
  // The statement waited ten seconds for a lock.
  expect(await measure(2000, 10_000, 10)).toBe(1995);
  expect(await measure(-500, 1, 1)).toBe(-500);
});
