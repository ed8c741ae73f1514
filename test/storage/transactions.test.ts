import { describe, expect, it, onTestFinished } from "vitest";
import { Database } from "#dist/storage/database.js";
import { failureOf } from "../support/knowledge-base.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

async function openDatabase(): Promise<Database> {
  const database = await Database.open(temporaryDirectory());
  onTestFinished(() => database.close());
  return database;
}

const organization = (id: string) => ({ id, name: id, plan: null, created_at: 0 });

async function ids(database: Database): Promise<readonly string[]> {
  const rows = await database.query.selectFrom("organizations").select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
}

describe("an interactive transaction", () => {
  it("is seen by itself only until it commits, and others wait for it", async () => {
    const database = await openDatabase();
    let waiting: Promise<unknown> = Promise.resolve();
    let waited = true;
    await database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("organizations").values(organization("inside")).execute();
      waiting = database.query
        .insertInto("organizations")
        .values(organization("outside"))
        .execute()
        .then(() => {
          waited = false;
        });
      // The transaction's own read comes back after the write that was sent before it would have.
      const inside = await transaction.selectFrom("organizations").select("id").execute();
      expect(inside).toEqual([{ id: "inside" }]);
      expect(await ids(database)).toEqual([]);
      await transaction.selectFrom("organizations").select("id").execute();
      expect(waited).toBe(true);
    });
    await waiting;
    expect(await ids(database)).toEqual(["inside", "outside"]);
  });

  it("leaves nothing behind where it throws, and the next one runs", async () => {
    const database = await openDatabase();
    const failing = database.query.transaction().execute(async (transaction) => {
      await transaction.insertInto("organizations").values(organization("one")).execute();
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    await database.query
      .transaction()
      .execute((transaction) => transaction.insertInto("organizations").values(organization("two")).execute());
    expect(await ids(database)).toEqual(["two"]);
  });

  it("runs one after the other where many begin at once", async () => {
    const database = await openDatabase();
    await database.query.insertInto("organizations").values(organization("counter")).execute();
    const increment = () =>
      database.query.transaction().execute(async (transaction) => {
        const row = await transaction.selectFrom("organizations").select("created_at").executeTakeFirstOrThrow();
        await transaction
          .updateTable("organizations")
          .set({ created_at: row.created_at + 1 })
          .execute();
      });
    await Promise.all(Array.from({ length: 20 }, increment));
    const row = await database.query.selectFrom("organizations").select("created_at").executeTakeFirstOrThrow();
    expect(row.created_at).toBe(20);
  });
});

describe("the database", () => {
  it("takes writes that stand alone all or none", async () => {
    const database = await openDatabase();
    const sql = "INSERT INTO organizations (id, name, created_at) VALUES (?, 'name', 0)";
    const failure = await failureOf(() => database.write([{ sql, rows: [["a"], ["b"], ["a"]] }]));
    expect(failure.code).toBe("store_failed");
    expect(await ids(database)).toEqual([]);
  });

  it("reads every write that has been answered", async () => {
    const database = await openDatabase();
    for (let count = 1; count <= 50; count++) {
      await database.query
        .insertInto("organizations")
        .values(organization(`org_${count}`))
        .execute();
      expect(await ids(database)).toHaveLength(count);
    }
  });

  it("refuses calls once it is closed", async () => {
    const database = await Database.open(temporaryDirectory());
    await database.close();
    expect((await failureOf(() => ids(database))).message).toBe("The database is closed.");
  });

  it("says that the disk is full, keeps what it has answered, and goes on reading", async () => {
    const directory = temporaryDirectory();
    // A limit on the size of files stands for a small disk: 2048 blocks of 512 bytes.
    const script = `
      const { Database } = await import(dist + "storage/database.js");
      const database = await Database.open(argv[0]);
      const sql = "INSERT INTO organizations (id, name, created_at) VALUES (?, ?, 0)";
      let answered = 0;
      const failure = await (async () => {
        for (;;) {
          await database.write([{ sql, parameters: ["org_" + answered, "x".repeat(50_000)] }]);
          answered++;
        }
      })().catch((error) => error);
      const [row] = await database.read({ sql: "SELECT count(*) AS count FROM organizations" });
      const { code, message, retryable } = failure;
      console.log(JSON.stringify({ code, message, retryable, answered, read: row.count }));
      process.exit();`;
    const { stdout, stderr } = await runScript(script, [directory], "ulimit -f 2048");
    expect(stderr).toBe("");
    const { answered, read, ...failure } = JSON.parse(stdout);
    expect(failure).toMatchObject({ code: "store_failed", retryable: true });
    expect(failure.message).toMatch(/^The disk that holds the database is full: /);
    expect(answered).toBeGreaterThan(0);
    expect(read).toBe(answered);
    const reopened = await Database.open(directory);
    expect(await ids(reopened)).toHaveLength(answered);
    await reopened.close();
  });
});
