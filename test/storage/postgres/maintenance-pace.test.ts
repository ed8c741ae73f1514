import { expect, it } from "vitest";
import { MaintenancePace } from "#dist/storage/postgres/search-index/maintenance-pace.js";

it("takes a twentieth of the time beside other work, and all of it otherwise", async () => {
  let now = 0;
  const pace = new MaintenancePace(() => now);
  const step = async () => {
    now += 10;
    return true;
  };
  expect(await pace.run(step, true)).toBe(true);
  now += 189;
  expect(await pace.run(step, true)).toBe(false);
  now += 1;
  expect(await pace.run(step, true)).toBe(true);
  expect(await pace.run(step, true)).toBe(false);
  expect(await pace.run(step, false)).toBe(true);
});
