import { expect, it } from "vitest";
import { manualClock } from "#dist/testing/manual-clock.js";

it("keeps its time until it is advanced", async () => {
  const clock = manualClock(1_000);
  expect(clock.now()).toBe(1_000);
  await clock.advance(500);
  expect(clock.now()).toBe(1_500);
});

it("resolves sleeps in order, including those that start meanwhile", async () => {
  const clock = manualClock(0);
  const woken: [string, number][] = [];
  const sleep = async (name: string, ms: number) => {
    await clock.sleep(ms);
    woken.push([name, clock.now()]);
  };
  void sleep("late", 30);
  void sleep("early", 10).then(() => sleep("again", 5));
  void sleep("never", 1_000);
  await clock.advance(40);
  expect(woken).toEqual([
    ["early", 10],
    ["again", 15],
    ["late", 30],
  ]);
  expect(clock.now()).toBe(40);
  expect(clock.sleeping).toBe(1);
});

it("aborts a sleep", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(10, controller.signal);
  controller.abort();
  await expect(sleeping).rejects.toMatchObject({ name: "AbortError" });
  expect(clock.sleeping).toBe(0);
  await expect(clock.sleep(10, controller.signal)).rejects.toMatchObject({ name: "AbortError" });
});
