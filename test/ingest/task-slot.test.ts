import { expect, it } from "vitest";
import { TaskSlot } from "#dist/ingest/task-slot.js";
import { WorkSlots } from "#dist/ingest/work-slots.js";

const signal = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

function door() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** One slot, which goes to whoever waits for it. */
function oneSlot() {
  const slots: WorkSlots = new WorkSlots(1, () => void slots.grantNext());
  const claimed = (organizationId: string) => {
    slots.reserve();
    return new TaskSlot(slots, organizationId);
  };
  return { slots, claimed };
}

it("is held while any of a task's work runs, and between two pieces of work", async () => {
  const { slots, claimed } = oneSlot();
  const task = claimed("a");
  const [work, fetch] = [door(), door()];
  void task.wait("source", () => fetch.passed);
  const working = task.work(() => work.passed, signal);
  await settled();
  expect(slots.hasRoom).toBe(false);
  work.open();
  await working;
  // As a job does that begins its next document.
  const next = door();
  const going = task.work(() => next.passed, signal);
  await settled();
  expect(slots.hasRoom).toBe(false);
  next.open();
  await going;
  await settled();
  expect(slots.hasRoom).toBe(true);
  task.end();
  expect(slots.hasRoom).toBe(true);
});

it("is held by a task that never waits, and released once at its end", async () => {
  const { slots, claimed } = oneSlot();
  const task = claimed("a");
  await task.work(async () => {}, signal);
  await settled();
  expect(slots.hasRoom).toBe(false);
  task.end();
  task.end();
  slots.reserve();
  expect(slots.hasRoom).toBe(false);
});

it("goes to another task while its task waits, which continues once it is free", async () => {
  const { slots, claimed } = oneSlot();
  const [first, answer] = [claimed("a"), door()];
  const steps: string[] = [];
  const working = first.work(async () => {
    await first.pauseWork("service", () => answer.passed, signal);
    steps.push("first goes on");
  }, signal);
  await settled();
  const second = claimed("b");
  answer.open();
  await settled();
  expect(steps).toEqual([]);
  expect(second.isWanted).toBe(true);
  expect(slots.hasWaiting).toBe(true);
  steps.push("second ends");
  second.end();
  await working;
  expect(steps).toEqual(["second ends", "first goes on"]);
});

it("is not taken again by a task whose wait failed or that was stopped", async () => {
  const { slots, claimed } = oneSlot();
  const first = claimed("a");
  const [fetch, stopping] = [door(), new AbortController()];
  const fetched = first.wait("source", () => fetch.passed);
  await settled();
  const second = claimed("b");
  fetch.open();
  await fetched;
  const working = first.work(async () => {}, stopping.signal);
  stopping.abort(new Error("stopped"));
  await expect(working).rejects.toThrow("stopped");
  expect(slots.hasWaiting).toBe(false);
  first.end();
  expect(slots.hasRoom).toBe(false);
  second.end();
  expect(slots.hasRoom).toBe(true);
});

it("bounds the waiting jobs of an organization, so that others can be claimed", async () => {
  const { slots, claimed } = oneSlot();
  const ends: (() => void)[] = [];
  let waiting = 0;
  for (; !slots.fullOrganizations().includes("a"); waiting++) {
    const [task, fetch] = [claimed("a"), door()];
    void task.wait("source", () => fetch.passed);
    ends.push(() => task.end());
    await settled();
  }
  expect(waiting).toBeGreaterThanOrEqual(8);
  expect(slots.hasRoom).toBe(true);
  expect(slots.fullOrganizations()).toEqual(["a"]);
  const other = claimed("b");
  expect(other.unclaimable).toEqual(["a"]);
  other.end();
  for (const end of ends) end();
  expect(slots.fullOrganizations()).toEqual([]);
});

it("claims jobs while many deliveries wait for their receivers, but no other delivery", async () => {
  const { slots, claimed } = oneSlot();
  const answer = door();
  const tasks = [];
  while (slots.hasRoomForDelivery && tasks.length < 1000) {
    const task = claimed("a");
    void task.wait("receiver", () => answer.passed);
    await settled();
    tasks.push(task);
  }
  expect(tasks).toHaveLength(256);
  expect([slots.hasRoom, slots.fullOrganizations()]).toEqual([true, []]);
  tasks.pop()!.end();
  expect(slots.hasRoomForDelivery).toBe(true);
  for (const task of tasks) task.end();
});

it("takes no slot for work that is paused when its task ends", async () => {
  const { slots, claimed } = oneSlot();
  const [task, answer] = [claimed("a"), door()];
  const working = task.work(() => task.pauseWork("service", () => answer.passed, signal), signal);
  await settled();
  task.end();
  answer.open();
  await expect(working).rejects.toThrow("The task has ended");
  expect(slots.hasRoom).toBe(true);
});

it("releases a slot that is granted after the task's end", async () => {
  const { slots, claimed } = oneSlot();
  const [first, answer] = [claimed("a"), door()];
  const working = first.work(() => first.pauseWork("service", () => answer.passed, signal), signal);
  await settled();
  const second = claimed("b");
  answer.open();
  await settled();
  expect(slots.hasWaiting).toBe(true);
  first.end();
  second.end();
  await expect(working).rejects.toThrow("The task has ended");
  expect(slots.hasRoom).toBe(true);
});
