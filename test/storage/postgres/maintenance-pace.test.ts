import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import { MaintenancePace } from "#dist/storage/postgres/search-index/maintenance-pace.js";
import type { Operation } from "../../../src/storage/operation.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { quickClock } from "../../support/quick-clock.js";

it("takes a twentieth of the time beside other work, and all of it otherwise", async () => {
  const clock = quickClock();
  const pace = new MaintenancePace(clock);
  const startedAt = clock.now();
  const endOfStep = async (isBusy: () => boolean) => {
    await pace.run(() => clock.sleep(10), isBusy);
    return clock.now() - startedAt;
  };
  expect(await endOfStep(() => true)).toBe(10);
  expect(await endOfStep(() => true)).toBe(10 + 190 + 10);
  expect(await endOfStep(() => false)).toBe(210 + 10);
  // The other work ends during the second check after 50 ms.
  let checks = 0;
  expect(await endOfStep(() => checks++ < 2)).toBe(220 + 100 + 10);
});

it("ends a pause that is aborted", async () => {
  const clock = quickClock();
  const pace = new MaintenancePace(clock);
  const isBusy = () => true;
  await pace.run(() => clock.sleep(10), isBusy);
  const step = vi.fn(async () => {});
  await expect(pace.run(step, isBusy, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
  expect(step).not.toHaveBeenCalled();
});

it("is kept by the hashing of rows of earlier versions", async ({ skip }) => {
  const server = await openTestDatabase();
  if (!server) return skip(POSTGRES_MISSING);
  onTestFinished(() => server.drop());
  const opened = await openPostgres(server.url);
  const storage = postgresStorage(opened, { memoryBytes: 0 });
  onTestFinished(() => storage.close());
  await server.query("INSERT INTO unhashed_rows (name, next, last) VALUES ('events', 1, 1), ('chunks', 1, 1)");
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const hashed = storage.content.hash();
  now += 10;
  expect(await hashed).toBe(true);
  let finish = () => {};
  const gate = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const written = opened.database.write(function* (): Operation<void> {
    yield gate;
  });
  const paused = storage.content.hash();
  // Writes are run in the order of their calls.
  await setImmediate();
  const left = opened.database.write(function* (tx): Operation<unknown> {
    return yield* tx.all("SELECT name FROM unhashed_rows");
  });
  finish();
  await written;
  expect(await left).toHaveLength(1);
  expect(await paused).toBe(true);
  expect(await storage.content.hash()).toBe(false);
});
