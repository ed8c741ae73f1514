import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Connection } from "#dist/storage/sqlite/connection.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { isTooOld } from "#dist/storage/sqlite/require-sqlite.js";
import { sqliteCodeOf } from "#dist/storage/sqlite/sqlite-code.js";
import type { SqliteDriver } from "#dist/storage/sqlite/sqlite-driver.js";
import { betterSqlite3Driver, nodeSqliteDriver } from "#dist/storage/sqlite/sqlite-driver.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

function available(open: () => SqliteDriver | null): SqliteDriver | null {
  try {
    return open();
  } catch {
    return null;
  }
}

const builtIn = isTooOld(process.versions.sqlite ?? "0") ? null : available(nodeSqliteDriver);

describe.each([
  ["better-sqlite3", available(betterSqlite3Driver)],
  ["node:sqlite", builtIn],
])("%s", (name, found) => {
  if (found === null) {
    it.skip(`cannot be used with Node ${process.versions.node} here: ${name}`);
    return;
  }
  const driver: SqliteDriver = found;
  const opened: Connection[] = [];
  const open = (path = ":memory:", role: "writer" | "reader" = "writer") => {
    const connection = openConnection(path, role, { driver });
    opened.push(connection);
    return connection;
  };
  afterEach(() => {
    for (const connection of opened.splice(0)) connection.close();
  });
  const codeOf = (call: () => unknown) => {
    try {
      call();
    } catch (error) {
      return sqliteCodeOf(error);
    }
    return "no error";
  };

  it("returns rows as objects, as arrays and as first columns", () => {
    const db = open();
    const sql = "SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y' ORDER BY a";
    expect(db.prepare(sql).all()).toEqual([
      { a: 1, b: "x" },
      { a: 2, b: "y" },
    ]);
    expect([...db.prepare(sql).raw().iterate()]).toEqual([
      [1, "x"],
      [2, "y"],
    ]);
    const statement = db.prepare(sql).pluck();
    expect([statement.all(), statement.get(), [...statement.iterate()]]).toEqual([[1, 2], 1, [1, 2]]);
    expect(statement.pluck(false).get()).toEqual({ a: 1, b: "x" });
    expect(db.prepare("SELECT 1 WHERE 0").pluck().get()).toBeUndefined();
  });

  it("stores and reads every type of value", () => {
    const db = open();
    db.exec("CREATE TABLE kept (v)");
    const blob = new Uint8Array([0, 1, 255]);
    const values = [null, 5, -1.5, 2 ** 52 + 1, "", "𝄞é", blob, new Uint8Array(0)];
    for (const value of values) db.prepare("INSERT INTO kept VALUES (?)").run(value);
    const read = db.prepare("SELECT v FROM kept").pluck().all();
    expect(read.map((value) => (value instanceof Uint8Array ? new Uint8Array(value) : value))).toEqual(values);
    expect(db.prepare("SELECT typeof(?)").pluck().get(5)).toBe("real");
  });

  it("keeps a text with a NUL character whole, or refuses it", () => {
    const db = open();
    const read = (text: string) => db.prepare("SELECT ? AS text").all(text);
    if (name === "node:sqlite" && Number(process.versions.node.split(".")[0]) < 24) {
      expect(() => read("a\u0000b")).toThrow(/A text has the character U\+0000/);
    } else {
      expect(read("a\u0000b")).toEqual([{ text: "a\u0000b" }]);
    }
  });

  it("counts the rows that a statement changed", () => {
    const db = open();
    db.exec("CREATE TABLE kept (id INTEGER PRIMARY KEY, v)");
    const insert = db.prepare("INSERT INTO kept (v) VALUES (?)");
    insert.run(1);
    expect([insert.run(1).changes, db.prepare("UPDATE kept SET v = 2").run().changes]).toEqual([1, 2]);
    expect(db.prepare("DELETE FROM kept WHERE v = 9").run().changes).toBe(0);
  });

  it("knows its file and its state", () => {
    const path = join(temporaryDirectory(), "lorebase.db");
    const db = open(path);
    expect([db.name, db.memory, db.open, db.inTransaction]).toEqual([path, false, true, false]);
    db.exec("BEGIN");
    expect(db.inTransaction).toBe(true);
    db.exec("ROLLBACK");
    db.close();
    db.close();
    expect([db.open, open().memory]).toEqual([false, true]);
  });

  it("reads and sets pragmas", () => {
    const db = open(join(temporaryDirectory(), "lorebase.db"));
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.pragma("foreign_keys")).toEqual([{ foreign_keys: 1 }]);
    db.pragma("user_version = 7");
    expect(db.pragma("user_version", { simple: true })).toBe(7);
  });

  it("names the constraint that a statement violated", () => {
    const db = open();
    db.exec("CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE CHECK (name <> '')) STRICT");
    db.exec("CREATE TABLE child (parent REFERENCES parent)");
    db.exec("INSERT INTO parent VALUES (1, 'a')");
    expect(codeOf(() => db.exec("INSERT INTO parent VALUES (2, 'a')"))).toBe("SQLITE_CONSTRAINT_UNIQUE");
    expect(codeOf(() => db.exec("INSERT INTO parent VALUES (1, 'b')"))).toBe("SQLITE_CONSTRAINT_PRIMARYKEY");
    expect(codeOf(() => db.exec("INSERT INTO parent VALUES (2, NULL)"))).toBe("SQLITE_CONSTRAINT_NOTNULL");
    expect(codeOf(() => db.exec("INSERT INTO parent VALUES (2, '')"))).toBe("SQLITE_CONSTRAINT_CHECK");
    expect(codeOf(() => db.exec("INSERT INTO parent VALUES ('x', 'b')"))).toBe("SQLITE_MISMATCH");
    expect(codeOf(() => db.prepare("INSERT INTO child VALUES (?)").run(9))).toBe("SQLITE_CONSTRAINT_FOREIGNKEY");
    expect(codeOf(() => db.exec("SELECT * FROM nowhere"))).toBe("SQLITE_ERROR");
    db.exec("CREATE TABLE full (v)");
    db.pragma("max_page_count = 10");
    expect(codeOf(() => db.prepare("INSERT INTO full VALUES (?)").run(new Uint8Array(1e6)))).toBe("SQLITE_FULL");
  });

  it("names another connection's lock, and a read-only connection", () => {
    const path = join(temporaryDirectory(), "lorebase.db");
    const [db, other] = [open(path), open(path)];
    db.exec("CREATE TABLE kept (v)");
    other.pragma("busy_timeout = 0");
    db.exec("BEGIN IMMEDIATE");
    expect(codeOf(() => other.exec("BEGIN IMMEDIATE"))).toBe("SQLITE_BUSY");
    db.exec("COMMIT");
    expect(codeOf(() => open(path, "reader").exec("INSERT INTO kept VALUES (1)"))).toBe("SQLITE_READONLY");
    expect(codeOf(() => open(join(path, "..", "none.db"), "reader"))).toBe("SQLITE_CANTOPEN");
  });

  it("has its own functions, those of sqlite-vec, and FTS5", () => {
    const db = open();
    const vectors = [new Float32Array([1, 0]), new Float32Array([0, 1])].map((each) => new Uint8Array(each.buffer));
    expect(
      db
        .prepare("SELECT vec_distance_cosine(?, ?)")
        .pluck()
        .get(...vectors),
    ).toBe(1);
    expect(db.prepare("SELECT keyword_text('Lamps', 1)").pluck().get()).toBe("Lamps");
    db.exec("CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('lamp')");
    expect(db.prepare("SELECT count(*) FROM words WHERE words MATCH 'lamp'").pluck().get()).toBe(1);
  });

  it("passes on an error that a function throws", () => {
    const db = open();
    db.function("refuse", { deterministic: true }, () => {
      throw new RangeError("not this");
    });
    expect(() => db.prepare("SELECT refuse()").get()).toThrow("not this");
  });
});
