import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { KnowledgeBaseError } from "#dist/errors.js";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { PostgresDatabase } from "#dist/storage/postgres/postgres-database.js";
import type { Operation } from "../../../src/storage/operation.js";
import type { Tx } from "../../../src/storage/tx.js";
import { CutProxy } from "../../campaigns/cut-proxy.js";
import { failureOf } from "../../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";

const database = await openTestDatabase();
beforeAll(() => database?.query("CREATE TABLE marks (id bigint PRIMARY KEY, value bigint NOT NULL DEFAULT 0)"));
afterAll(() => database?.drop());

describe.skipIf(!database)(`a PostgreSQL database${database ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  it("runs writes in the order of the calls, and a failed write fails alone", async () => {
    const db = await open();
    const set = (value: number) => db.write((tx) => marking(tx, 1, value));
    const first = set(1);
    const refused = db.write(function* (tx): Operation<void> {
      yield* tx.run("UPDATE marks SET value = value + 100 WHERE id = 1");
      throw new KnowledgeBaseError("conflict", "no");
    });
    const invalid = db.write(function* (tx): Operation<void> {
      yield* tx.exec("UPDATE marks SET value = NULL WHERE id = 1");
    });
    const last = set(2);
    await Promise.all([first, last]);
    expect((await failureOf(() => refused)).code).toBe("conflict");
    expect(await failureOf(() => invalid)).toMatchObject({ code: "store_failed", retryable: false });
    expect(await readMark(db, 1)).toBe(2);
  });

  it("runs the writes of a set as one, each in its place among those with its key", async () => {
    const db = await open();
    const sets: (readonly unknown[])[] = [];
    function* run(tx: Tx, items: readonly unknown[]): Operation<readonly unknown[]> {
      sets.push(items);
      yield* tx.run("SELECT 1");
      if (items.includes("bad")) throw new KnowledgeBaseError("conflict", "no");
      return items;
    }
    function* other(tx: Tx, items: readonly unknown[]): Operation<readonly unknown[]> {
      return yield* run(tx, items);
    }
    const write = (set: typeof run, item: string, key: number) =>
      db.writeOne({ operation: (tx) => first(set(tx, [item])), set: { run: set, item, key } });
    await Promise.all([write(run, "a", 1), write(other, "a2", 1), write(run, "b", 2), write(run, "a3", 1)]);
    expect(sets).toEqual([["a", "b"], ["a2"], ["a3"]]);
    const outcomes = await Promise.allSettled(["c", "bad", "d"].map((item, key) => write(run, item, key)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("prepares a write before its transaction, without changing the order", async () => {
    const db = await open();
    const order: string[] = [];
    const write = (name: string, preparation?: Promise<void>) =>
      db.writeOne({
        *operation(tx): Operation<void> {
          yield* tx.run("SELECT 1");
          order.push(name);
        },
        ...(preparation && { preparation }),
      });
    let prepare = () => {};
    const prepared = new Promise<void>((resolve) => {
      prepare = resolve;
    });
    const writes = [write("one"), write("two", prepared), write("three")];
    await writes[0];
    expect(order).toEqual(["one"]);
    prepare();
    await Promise.all(writes);
    expect(order).toEqual(["one", "two", "three"]);
    const failed = await failureOf(() => write("four", Promise.reject(new Error("no"))));
    expect(failed.message).toContain("no");
  });

  it("repeats writes that ended in a deadlock with another process", async () => {
    const [one, other] = [await open(), await open()];
    await one.write((tx) => marking(tx, 10, 0));
    await one.write((tx) => marking(tx, 11, 0));
    const both = (first: number, second: number) =>
      function* (tx: Tx): Operation<void> {
        yield* tx.run("UPDATE marks SET value = value + 1 WHERE id = ?", first);
        yield* tx.run("SELECT pg_sleep(0.2)");
        yield* tx.run("UPDATE marks SET value = value + 1 WHERE id = ?", second);
      };
    await Promise.all([one.write(both(10, 11)), other.write(both(11, 10))]);
    expect([await readMark(one, 10), await readMark(one, 11)]).toEqual([2, 2]);
  });

  it("connects again after its connections were ended, and repeats what was not committed", async () => {
    const db = await open();
    await db.write((tx) => marking(tx, 20, 1));
    expect(await readMark(db, 20)).toBe(1);
    const slow = db.write(function* (tx): Operation<void> {
      yield* tx.run("SELECT pg_sleep(0.5)");
      yield* marking(tx, 20, 2);
    });
    await sleep(100);
    await database!.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await slow;
    expect(await readMark(db, 20)).toBe(2);
  });

  it("repeats a write whose transaction could not begin, after the process was suspended", async () => {
    const { db, proxy } = await openBehindProxy();
    await db.write((tx) => marking(tx, 30, 1));
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      now += 1000;
      return now;
    });
    proxy.silence();
    const write = db.write((tx) => marking(tx, 30, 2));
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    proxy.refuse();
    clock.mockRestore();
    proxy.restore();
    await write;
    expect(await readMark(db, 30)).toBe(2);
  });

  it("says after some attempts that the server can't be reached", { timeout: 60_000 }, async () => {
    const failure = await failureOf(() => openPostgres("postgres://nobody@127.0.0.1:1/none"));
    expect(failure).toMatchObject({ code: "store_failed", retryable: true });
    expect(failure.message).toMatch(/^The connection to PostgreSQL failed: .*ECONNREFUSED/);
  });

  it("says at once that a read alone or a poll can't reach the server", async () => {
    const db = await PostgresDatabase.open("postgres://nobody@127.0.0.1:1/none");
    onTestFinished(() => db.close());
    for (const call of [() => db.runAlone(one), () => db.poll(one)]) {
      const failure = await failureOf(call);
      expect(failure).toMatchObject({ code: "store_failed", retryable: true });
      expect(failure.message).toMatch(/^The connection to PostgreSQL failed: .*ECONNREFUSED/);
    }
  });

  it("takes another connection when one is lost without a word, for reads and for writes", async () => {
    const { db, proxy } = await openBehindProxy({ answerMs: 200 });
    await db.write((tx) => marking(tx, 40, 1));
    expect(await readMark(db, 40)).toBe(1);
    proxy.lose();
    await Promise.all([readMark(db, 40), db.write((tx) => marking(tx, 40, 2))]);
    expect(await readMark(db, 40)).toBe(2);
  });

  it("answers a poll soon after the network is back, and replaces connections that are still silent", async () => {
    const { db, proxy } = await openBehindProxy();
    const poll = () => db.poll(one);
    await Promise.all([poll(), readMark(db, 40), db.write((tx) => marking(tx, 41, 1))]);
    let skippedMs = 0;
    const { now } = performance;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + skippedMs);
    onTestFinished(() => clock.mockRestore());
    proxy.silence();
    // Some of them on connections that are being opened.
    const waiting = [...[41, 41, 41].map((id) => readMark(db, id)), db.write((tx) => marking(tx, 42, 2))];
    expect(await failureOf(poll)).toMatchObject({
      code: "store_failed",
      retryable: true,
      message: expect.stringContaining("PostgreSQL has not answered within 1 s."),
    });
    proxy.lose();
    skippedMs = 5000;
    expect(await poll()).toBe(1);
    await Promise.all(waiting);
    expect(await readMark(db, 42)).toBe(2);
  });

  it("keeps its connections when the server answers a poll with an error", async () => {
    // Without the reads of a migration, which may have opened another connection.
    const db = await openWith({});
    const connection = () =>
      db.read(function* (tx): Operation<unknown> {
        return yield* tx.get("SELECT pg_backend_pid() AS id");
      });
    const before = await connection();
    const refused = db.poll(function* (tx): Operation<void> {
      yield* tx.run("SELECT 1 / 0");
    });
    expect((await failureOf(() => refused)).code).toBe("store_failed");
    await db.poll(one);
    expect(await connection()).toEqual(before);
  });

  it("lets the server end statements that take too long, unless they may take as long as they need", async () => {
    const [limited, unlimited] = [await openWith({ answerMs: 200 }), await openWith({ answerMs: null })];
    const sleepLong = function* (tx: Tx): Operation<void> {
      yield* tx.run("SELECT pg_sleep(0.5)");
    };
    for (const call of [() => limited.read(sleepLong), () => limited.write(sleepLong)])
      expect(await failureOf(call)).toMatchObject({
        code: "store_failed",
        retryable: true,
        message: expect.stringContaining("statement timeout"),
      });
    await Promise.all([unlimited.read(sleepLong), unlimited.write(sleepLong)]);
    expect(await readMark(limited, 40)).toBe(2);
  });

  it("rejects all writes that have waited for an unreachable server, not one after the other", async () => {
    const { db, proxy } = await openBehindProxy();
    await db.write((tx) => marking(tx, 50, 1));
    let skippedMs = 0;
    const { now } = performance;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now.call(performance) + skippedMs);
    onTestFinished(() => clock.mockRestore());
    proxy.refuse();
    const outcomes = ["a", "b", "c"].map((_, index) => failureOf(() => db.write((tx) => marking(tx, 51 + index, 1))));
    let settled = 0;
    for (const outcome of outcomes) void outcome.then(() => settled++);
    await setImmediate();
    skippedMs = 30_000;
    expect(await outcomes[0]).toMatchObject({ code: "store_failed", retryable: true });
    await setImmediate();
    expect(settled).toBe(3);
  });

  it.each([
    ["breaks", new Uint8Array()],
    ["is reported as lost by a pooler", errorResponse("08P01", "server conn crashed?")],
  ])("repeats no write whose commit may have taken effect when the connection %s", async (_, answer) => {
    const { db, proxy } = await openBehindProxy();
    await db.write((tx) => marking(tx, 7, 0));
    const outcome = failureOf(() =>
      db.write(function* (tx): Operation<void> {
        yield* tx.get("SELECT 1 AS one");
        proxy.holdAnswers();
        yield* tx.exec("UPDATE marks SET value = value + 1 WHERE id = 7");
      }),
    );
    const direct = await open();
    await vi.waitUntil(async () => (await readMark(direct, 7)) === 1);
    proxy.answer(answer);
    expect((await outcome).message).toMatch(/failed during a commit/);
    expect(await readMark(direct, 7)).toBe(1);
  });

  it("takes as long as a long operation needs, whatever limit the server's operator has set", async () => {
    const limited = (await openTestDatabase())!;
    onTestFinished(() => limited.drop());
    await limited.query(`ALTER DATABASE ${new URL(limited.url).pathname.slice(1)} SET statement_timeout = 10`);
    const sleep = (tx: Tx) => tx.run("SELECT pg_sleep(0.03)")[Symbol.iterator]() as Operation<number>;
    const long = await openWith({ answerMs: null }, limited.url);
    expect([await long.read(sleep), await long.write(sleep)]).toEqual([1, 1]);
  });

  it("migrates once when processes start at the same time, and refuses a newer schema", async () => {
    const empty = (await openTestDatabase())!;
    onTestFinished(() => empty.drop());
    const opened = await Promise.all(Array.from({ length: 12 }, () => openPostgres(empty.url)));
    for (const { database } of opened) await database.close();
    await empty.query("INSERT INTO migrations VALUES (99, 'later', 'x')");
    expect(await failureOf(() => openPostgres(empty.url))).toMatchObject({ code: "unsupported" });
  });
});

/** The message with which a server reports an error. */
function errorResponse(code: string, message: string): Uint8Array {
  const fields = Buffer.from(`SERROR\0VERROR\0C${code}\0M${message}\0\0`);
  const head = Buffer.from("E....");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

async function open() {
  const { database: db } = await openPostgres(database!.url);
  onTestFinished(() => db.close());
  return db;
}

async function openWith(limits: Parameters<typeof PostgresDatabase.open>[1], url = database!.url) {
  const db = await PostgresDatabase.open(url, limits);
  onTestFinished(() => db.close());
  return db;
}

async function openBehindProxy(limits = {}) {
  const url = new URL(database!.url);
  const proxy = await CutProxy.open(Number(url.port));
  url.port = String(proxy.port);
  const db = await openWith(limits, url.href);
  onTestFinished(() => proxy.close());
  return { db, proxy };
}

function* one(tx: Tx): Operation<number> {
  return (yield* tx.get<{ one: number }>("SELECT 1 AS one"))!.one;
}

function* first<Result>(set: Operation<readonly Result[]>): Operation<Result> {
  return (yield* set)[0]!;
}

function* marking(tx: Tx, id: number, value: number): Operation<void> {
  yield* tx.exec(
    "INSERT INTO marks VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value",
    ...[id, value],
  );
}

async function readMark(db: Awaited<ReturnType<typeof open>>, id: number): Promise<number | undefined> {
  return db.read(function* (tx): Operation<number | undefined> {
    return (yield* tx.get<{ value: number }>("SELECT value FROM marks WHERE id = ?", id))?.value;
  });
}
