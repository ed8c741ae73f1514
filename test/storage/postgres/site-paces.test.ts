import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { SitePaces } from "#dist/storage/postgres/site-paces.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { quickClock } from "../../support/quick-clock.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

const SITE = "example.com";

describe.skipIf(!database)(`paces of sites in PostgreSQL${database ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  beforeEach(async () => {
    await (await openPostgres(database!.url)).database.close();
    await database!.query("TRUNCATE crawled_sites, crawl_requests");
  });

  it("no more than four requests of three processes run at a time, in the order in which they came", async () => {
    const paces = await Promise.all([1, 2, 3].map(() => openPace()));
    const running = await Promise.all([0, 1, 2, 3].map((index) => paces[index % 3]!.takeSlot(undefined)));
    const started: number[] = [];
    const waiting: Promise<() => void>[] = [];
    for (const index of [0, 1, 2]) {
      const turn = paces[index]!.takeSlot(undefined);
      waiting.push(turn);
      void turn.then(() => started.push(index));
      await expect.poll(countQueued).toBe(5 + index);
    }
    expect(started).toEqual([]);
    running[3]!();
    (await waiting[0]!)();
    (await waiting[1]!)();
    await waiting[2]!;
    expect(started).toEqual([0, 1, 2]);
  });

  it("a process that is gone gives way, and a wait that is given up leaves no trace", async () => {
    const [one, other] = [await openPace(), await openPace()];
    for (let request = 0; request < 4; request++) await one.takeSlot(undefined);
    const leaving = new AbortController();
    const left = other.takeSlot(leaving.signal);
    await expect.poll(countQueued).toBe(5);
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    await expect.poll(countQueued).toBe(4);
    await database!.query("UPDATE crawl_requests SET until = 0");
    await other.takeSlot(undefined);
  });

  it("starts of all processes are reserved one by one, the delay apart", async () => {
    const paces = await Promise.all([1, 2, 3].map(() => openPace()));
    const before = Date.now();
    const reserve = async (pace: (typeof paces)[number]) => {
      for (let request = 0; request < 5; request++) {
        let waitedFor: number | null = null;
        for (;;) {
          const wait = await pace.reserveStart(400, waitedFor);
          if (!wait) break;
          expect(wait.waitMs).toBeLessThanOrEqual(400 * 15);
          // Stands for the wait, after which the start is as reserved.
          waitedFor = wait.startAt;
        }
      }
    };
    await Promise.all(paces.map(reserve));
    const [{ next_start: next }] = (await database!.query("SELECT next_start FROM crawled_sites")) as [
      { next_start: number },
    ];
    expect(next - before).toBeGreaterThanOrEqual(15 * 400);
  });

  it("a wait that a site asks one process for holds for all", async () => {
    const [one, other] = [await openPace(), await openPace()];
    await one.postpone(3_600_000);
    const wait = await other.reserveStart(0, null);
    expect(wait!.waitMs).toBeGreaterThan(3_500_000);
    await other.postpone(1000);
    expect((await one.reserveStart(0, 1))!.startAt).toBe(wait!.startAt);
    expect(await (await openPace("other.example")).reserveStart(0, null)).toBeNull();
  });
});

async function countQueued(): Promise<number> {
  const [row] = await database!.query<{ count: number }>("SELECT count(*) FROM crawl_requests");
  return row!.count;
}

async function openPace(site = SITE) {
  const { database: opened } = await openPostgres(database!.url);
  onTestFinished(() => opened.close());
  const errors: unknown[] = [];
  const paces = new SitePaces(opened, (error) => errors.push(error));
  onTestFinished(() => {
    paces[Symbol.dispose]();
    expect(errors).toEqual([]);
  });
  return paces.open(site, quickClock());
}
