import { expect, it, onTestFinished, vi } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import { MaintenancePace } from "#dist/storage/postgres/search-index/maintenance-pace.js";
import type { Operation } from "../../../src/storage/operation.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";

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
  expect(await storage.content.hash()).toBe(false);
  finish();
  await written;
  now += 190;
  expect(await storage.content.hash()).toBe(true);
});
