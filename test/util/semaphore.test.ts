import { expect, it } from "vitest";
import { Semaphore } from "#dist/util/semaphore.js";

function door() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

it("lets so many run at a time, in order, past those that leave and those that fail", async () => {
  const lanes = new Semaphore(2);
  const begun: string[] = [];
  const never = new AbortController().signal;
  const leaving = new AbortController();
  const doors = { a: door(), b: door() };
  const run = (name: string, work: () => Promise<unknown>, signal = never) =>
    lanes.run(async () => {
      begun.push(name);
      return work();
    }, signal);
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
