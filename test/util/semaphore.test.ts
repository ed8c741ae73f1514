import { expect, it } from "vitest";
import { Semaphore } from "#dist/util/semaphore.js";

function door() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

it("runs a number of tasks at a time, in order, past those that leave and those that fail", async () => {
  const semaphore = new Semaphore(2);
  const begun: string[] = [];
  const never = new AbortController().signal;
  const leaving = new AbortController();
  const doors = { a: door(), b: door() };
  const run = (name: string, work: () => Promise<unknown>, signal = never) =>
    semaphore.run(
      async () => {
        begun.push(name);
        return work();
      },
      { signal },
    );
  const a = run("a", () => doors.a.passed);
  const b = run("b", () => doors.b.passed);
  const c = run("c", async () => {}, leaving.signal);
  const d = run("d", async () => {
    throw new Error("no");
  });
  const e = run("e", async () => "last");
  leaving.abort(new Error("left"));
  await expect(c).rejects.toThrow("left");
  expect(begun).toEqual(["a", "b"]);
  doors.a.open();
  await expect(d).rejects.toThrow("no");
  expect(await e).toBe("last");
  expect(begun).toEqual(["a", "b", "d", "e"]);
  doors.b.open();
  await Promise.all([a, b]);
});

it("gives no permit of an aborted task away before the task has ended", async () => {
  const semaphore = new Semaphore(1);
  const aborting = new AbortController();
  const { passed, open } = door();
  const first = semaphore.run(() => passed, { signal: aborting.signal });
  let begun = false;
  const second = semaphore.run(async () => {
    begun = true;
  });
  aborting.abort(new Error("stop"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toBe(false);
  open();
  await Promise.all([first, second]);
});

it("gives permits by priority, then in order", async () => {
  const semaphore = new Semaphore(1);
  const release = await semaphore.acquire();
  const begun: string[] = [];
  const run = (name: string, priority: number) => semaphore.run(async () => void begun.push(name), { priority });
  const runs = [run("a", 0), run("b", 0), run("urgent", 1)];
  release();
  await Promise.all(runs);
  expect(begun).toEqual(["urgent", "a", "b"]);
});
