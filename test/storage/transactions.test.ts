import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import type { SqliteStorage } from "../../src/storage/sqlite/sqlite-storage.js";
import { failureOf } from "../support/knowledge-base.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

async function openDatabase(): Promise<SqliteStorage> {
  const database = await openSqliteStorage(temporaryDirectory());
  onTestFinished(() => database.close());
  return database;
}

async function ids(database: SqliteStorage): Promise<readonly string[]> {
  const rows = await database.read<{ id: string }>({ sql: "SELECT id FROM organizations ORDER BY id" });
  return rows.map(({ id }) => id);
}

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
      await database.organizations.create({ id: `org_${count}`, name: "One", plan: null, now: 0 });
      expect(await ids(database)).toHaveLength(count);
    }
  });

  it("refuses calls once it is closed", async () => {
    const database = await openSqliteStorage(temporaryDirectory());
    await database.close();
    expect((await failureOf(() => ids(database))).message).toBe("The database is closed.");
  });

  it("says that the disk is full, keeps what it has answered, and goes on reading", async () => {
    const directory = temporaryDirectory();
    // A limit on the size of files stands for a small disk: 2048 blocks of 512 bytes.
    const script = `
      const { openSqliteStorage } = await import(dist + "storage/sqlite/sqlite-storage.js");
      const database = await openSqliteStorage(argv[0]);
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
    const reopened = await openSqliteStorage(directory);
    expect(await ids(reopened)).toHaveLength(answered);
    await reopened.close();
  });
});
