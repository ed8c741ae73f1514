import { afterEach, expect, it, vi } from "vitest";
import { ThreadPool } from "#dist/rpc/thread-pool.js";
import type { ThreadPoolOptions } from "../../src/rpc/thread-pool.js";

interface Operations {
  double(value: unknown): number;
  environment(input: null): { variables: string[]; flags: string[] };
  thread(input: null): number;
  crash(input: null): never;
  exit(input: null): never;
  fail(input: null): never;
  numbers(length: number): Float32Array;
  relay(event: string): void;
  hold(value: string): string;
}

const open: ThreadPool<Operations>[] = [];
const gate = () => new SharedArrayBuffer(4);

function pool(size = 1, more: Partial<ThreadPoolOptions> = {}) {
  const made = new ThreadPool<Operations>({
    entry: new URL("./fixtures/thread.mjs", import.meta.url),
    name: "test",
    maxThreads: size,
    ...more,
  });
  open.push(made);
  return made;
}

function openGate(shared: SharedArrayBuffer) {
  Atomics.store(new Int32Array(shared), 0, 1);
  Atomics.notify(new Int32Array(shared), 0);
}

afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));

it("starts no thread before a call and keeps it for the next", async () => {
  const threads = pool(4);
  expect(threads.size).toBe(0);
  const first = await threads.run("thread", null);
  expect(await threads.run("thread", null)).toBe(first);
  expect(threads.size).toBe(1);
});

it("gives outputs in order, over no more threads than it may have", async () => {
  const threads = pool(2);
  const inputs = Array.from({ length: 50 }, (_, index) => index);
  expect(await threads.runEach("double", inputs)).toEqual(inputs.map((value) => value * 2));
  expect(threads.size).toBe(2);
});

it("shows a thread neither the host's environment nor its preloads", async () => {
  vi.stubEnv("LOREBASE_TEST_SECRET", "s3cret");
  expect(await pool().run("environment", null)).toEqual({ variables: [], flags: [] });
});

it.each(["crash", "exit"] as const)(
  "fails only the call that lost its thread by %s, and starts a fresh one",
  async (how) => {
    const threads = pool();
    const before = await threads.run("thread", null);
    const lost = threads.run(how, null);
    const waiting = threads.run("thread", null);
    await expect(lost).rejects.toMatchObject({ code: "provider_failed", retryable: true });
    if (how === "crash") await expect(lost).rejects.toThrow("out of order");
    expect(await waiting).not.toBe(before);
    expect(threads.size).toBe(1);
  },
);

it("keeps the thread when a handler fails, and says why", async () => {
  const threads = pool();
  const before = await threads.run("thread", null);
  await expect(threads.run("fail", null)).rejects.toMatchObject({ code: "internal", message: "not in my range" });
  expect(await threads.run("thread", null)).toBe(before);
});

it("rejects an input that cannot be sent and goes on", async () => {
  const threads = pool();
  await expect(threads.run("double", () => 1)).rejects.toMatchObject({ name: "DataCloneError" });
  expect(await threads.run("double", 4)).toBe(8);
});

it("moves typed arrays, and lets a thread notify its owner", async () => {
  const events: unknown[] = [];
  const threads = pool(1, { handlers: { onEvent: (event: string) => events.push(event) } });
  const numbers = await threads.run("numbers", 3);
  expect([...numbers]).toEqual([1, 1, 1]);
  await threads.run("relay", "half way");
  expect(events).toEqual(["half way"]);
});

it("ends aborted calls at once, whether they wait or run, and lets the others be", async () => {
  const shared = gate();
  const threads = pool(1, { workerData: { gate: shared } });
  const controller = new AbortController();
  const running = threads.run("hold", "a", { signal: controller.signal });
  const waiting = threads.run("double", 1, { signal: controller.signal });
  const other = threads.run("double", 2);
  controller.abort();
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  openGate(shared);
  expect(await other).toBe(4);
});

it("serves urgent calls first", async () => {
  const shared = gate();
  const threads = pool(1, { workerData: { gate: shared } });
  const order: string[] = [];
  const note = (name: string) => () => order.push(name);
  const calls = [
    threads.run("hold", "first").then(note("first")),
    threads.run("double", 1).then(note("patient")),
    threads.run("double", 2, { urgent: true }).then(note("urgent")),
  ];
  openGate(shared);
  await Promise.all(calls);
  expect(order).toEqual(["first", "urgent", "patient"]);
});

it("fails running, waiting and later calls once it is closed", async () => {
  const shared = gate();
  const threads = pool(1, { workerData: { gate: shared } });
  const running = threads.run("hold", "a");
  const waiting = threads.run("double", 1);
  const closing = threads.close();
  for (const call of [running, waiting, threads.run("double", 1)]) {
    await expect(call).rejects.toMatchObject({ code: "closed" });
  }
  openGate(shared);
  await closing;
  expect(threads.size).toBe(0);
});
