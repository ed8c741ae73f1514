import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { PostgresCallCounter } from "#dist/storage/postgres/call-counter.js";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

const MINUTE = { limit: 10, windowMs: 60_000 };

describe.skipIf(!database)(`counted calls in PostgreSQL${database ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  it("are counted over all processes, each exactly once", async () => {
    const counters = await Promise.all([1, 2, 3].map(() => openCounter()));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, call) => counters[call % 3]!.counter.count({ key: "a", ...MINUTE })),
    );
    const allowed = answers.filter(({ isAllowed }) => isAllowed);
    expect(allowed.map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const { resetMs } of answers) expect(resetMs).toBeLessThanOrEqual(60_000);
    expect((await counters[0]!.counter.count({ key: "b", ...MINUTE })).remaining).toBe(9);
  });

  it("ask the database once more after the limit is reached, and no more in that window", async () => {
    const { counter } = await openCounter();
    for (let call = 0; call < 50; call++) await counter.count({ key: "reached", ...MINUTE });
    const rows = await database!.query<{ count: number }>("SELECT count FROM call_counts WHERE count > 10");
    expect(rows.map(({ count }) => count)).toContain(11);
    expect(Math.max(...rows.map(({ count }) => count))).toBeLessThan(50);
  });

  it("start a new window after the end of one, by the server's clock", async () => {
    const { counter } = await openCounter();
    for (let call = 0; call < 3; call++) await counter.count({ key: "ended", ...MINUTE });
    await database!.query("UPDATE call_counts SET ends_at = ends_at - 60000");
    expect(await counter.count({ key: "ended", ...MINUTE })).toMatchObject({ isAllowed: true, remaining: 9 });
  });

  it("are removed once their window has ended, and name nobody", async () => {
    await (await openCounter()).counter.count({ key: "someone@example.com", ...MINUTE });
    const dump = await database!.query<{ row: string }>("SELECT c::text AS row FROM call_counts c");
    expect(dump.length).toBeGreaterThan(0);
    expect(JSON.stringify(dump)).not.toContain(Buffer.from("someone").toString("hex"));
    await database!.query("UPDATE call_counts SET ends_at = 1");
    await (await openCounter()).counter.count({ key: "new", ...MINUTE });
    const left = () => database!.query<{ key: string }>("SELECT ends_at FROM call_counts WHERE ends_at = 1");
    await expect.poll(left).toEqual([]);
  });

  it("are counted in the process while the database can't be reached, and the reason is reported", async () => {
    const gone = (await openTestDatabase())!;
    const { counter, errors } = await openCounter(gone.url);
    await gone.drop();
    const answers = await Promise.all([1, 2, 3].map(() => counter.count({ key: "away", limit: 2, windowMs: 1000 })));
    expect(answers.filter(({ isAllowed }) => isAllowed)).toHaveLength(2);
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(errors[0]).toMatchObject({ code: "store_failed" });
  });
});

async function openCounter(url = database!.url): Promise<{ counter: PostgresCallCounter; errors: unknown[] }> {
  const opened = await openPostgres(url);
  onTestFinished(() => opened.database.close());
  const errors: unknown[] = [];
  return { errors, counter: new PostgresCallCounter(opened.database, (error) => errors.push(error)) };
}
