import { readdirSync } from "node:fs";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { memoryVectorStore } from "lorebase/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { MIGRATIONS as POSTGRES_MIGRATIONS } from "#dist/storage/postgres/migrations/index.js";
import { migrate } from "#dist/storage/sqlite/migrate.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { isTooOld, requireSqlite } from "#dist/storage/sqlite/require-sqlite.js";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import { queryDatabase, writeDatabase } from "../support/database.js";
import { failureOf, ingestTexts, LEXICAL, newNamespace } from "../support/knowledge-base.js";
import { onlySqlite } from "../support/only-sqlite.js";
import { providerOf } from "../support/providers.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const one = { name: "one", sql: "CREATE TABLE one (id INTEGER PRIMARY KEY) STRICT" };
const two = { name: "two", sql: "CREATE TABLE two (id INTEGER PRIMARY KEY) STRICT" };

/** test/storage/postgres/versions.test.ts has PostgreSQL's. */
const OLD_FILE = "the database is the file of another version";

/** The code and message of the error for a database with two migrations more. */
const TOO_NEW = [
  "unsupported",
  `The database has schema version ${MIGRATIONS.length + 2}, but this version of lorebase supports only ${MIGRATIONS.length}: upgrade lorebase to open it.`,
];

function openFile(directory = temporaryDirectory()) {
  const db = openConnection(join(directory, "lorebase.db"), "writer");
  onTestFinished(() => void db.close());
  const tables = () =>
    db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all() as string[];
  return { db, directory, tables, version: () => db.pragma("user_version", { simple: true }) };
}

describe("migrations", () => {
  it.each([
    ["sqlite", MIGRATIONS],
    ["postgres", POSTGRES_MIGRATIONS],
  ])("have the versions of %s in the names of their files", (engine, migrations) => {
    const folder = new URL(`../../src/storage/${engine}/migrations`, import.meta.url);
    const numbered = readdirSync(folder).filter((file) => file !== "index.ts");
    expect(numbered.sort()).toEqual(
      migrations.map(({ name }, index) => `${String(index + 1).padStart(4, "0")}-${name}.ts`),
    );
  });

  it("create a new database, once", () => {
    const { db, tables, version } = openFile();
    migrate(db, MIGRATIONS);
    expect(tables()).toEqual(expect.arrayContaining(["chunks", "documents", "ingest_jobs", "migrations", "tasks"]));
    expect(version()).toBe(MIGRATIONS.length);
    const before = db.pragma("schema_version", { simple: true });
    migrate(db, MIGRATIONS);
    expect(db.pragma("schema_version", { simple: true })).toBe(before);
  });

  it("upgrade an older database", () => {
    const { db, tables, version } = openFile();
    migrate(db, [one]);
    migrate(db, [one, two]);
    expect(tables()).toEqual(["migrations", "one", "two"]);
    expect(version()).toBe(2);
  });

  it("record which vectors stores have of published chunks", async () => {
    const directory = temporaryDirectory();
    const kb = new KnowledgeBase({
      directory,
      defaultEmbedding: LEXICAL,
      vectorStores: [providerOf(memoryVectorStore({ provider: "STORE" }))],
    });
    onTestFinished(() => kb.close());
    for (const configs of [{}, { vectorStoreConfig: { provider: "STORE" } }])
      await ingestTexts(await newNamespace(kb, configs), ["The lamp is lit.", "The bell is rung."]);
    const recorded = () => queryDatabase(directory, "SELECT chunk_seq, scope_id FROM store_vectors ORDER BY 1");
    const before = recorded();
    expect(before).toHaveLength(2);
    const [fill, same] = [MIGRATIONS, POSTGRES_MIGRATIONS].map((migrations) => {
      const { sql } = migrations.find(({ name }) => name === "store-vectors")!;
      return /INSERT INTO store_vectors[^;]*;/.exec(sql)![0];
    });
    expect(same).toBe(fill);
    writeDatabase(directory, [{ sql: "DELETE FROM store_vectors" }, { sql: fill! }]);
    expect(recorded()).toEqual(before);
  });

  it("change nothing if a step fails", () => {
    const { db, tables, version } = openFile();
    migrate(db, [one]);
    expect(() => migrate(db, [one, two, { name: "three", sql: "CREATE TABLE two (id)" }])).toThrow(/already exists/);
    expect(tables()).toEqual(["migrations", "one"]);
    expect(version()).toBe(1);
  });

  const other = { ...two, name: "other" };
  it.each([
    ["as many", [other]],
    ["more", [other, two]],
  ])("refuse a database that was made by others, %s", async (_, migrations) => {
    const { db } = openFile();
    migrate(db, [one]);
    const { code, message } = await failureOf(() => migrate(db, migrations));
    expect(code).toBe("unsupported");
    expect(message).toBe(
      "Migration 1 of the database (one) differs from that of this version of lorebase (other): " +
        "open the database with the version that created it.",
    );
  });

  onlySqlite(OLD_FILE)("refuse a newer database and say what to do, through the engine too", async () => {
    const { db, directory } = openFile();
    migrate(db, [...MIGRATIONS, one, two]);
    const kb = new KnowledgeBase({ directory });
    const { code, message } = await failureOf(() => kb.start());
    await kb.close();
    expect([code, message]).toEqual(TOO_NEW);
  });

  onlySqlite(OLD_FILE)("refuse a database that a newer process migrates meanwhile", async () => {
    const { db, directory } = openFile();
    const kb = new KnowledgeBase({ directory });
    // It can't remove its row from the database.
    onTestFinished(() => expect(kb.close()).rejects.toMatchObject({ code: "unsupported" }));
    await kb.namespaces.create({ name: "Open", slug: "open", embeddingConfig: LEXICAL });
    migrate(db, [...MIGRATIONS, one, two]);
    for (const call of [() => kb.namespaces.get("open"), () => kb.namespaces.update("open", { name: "Closed" })]) {
      const { code, message } = await failureOf(call);
      expect([code, message]).toEqual(TOO_NEW);
    }
  });
});

describe("a database of the first version", () => {
  onlySqlite(OLD_FILE)("opens, and jobs that could only fail then can be ingested again", async () => {
    const { db, directory } = openFile();
    migrate(db, MIGRATIONS.slice(0, 1));
    db.exec(`
      INSERT INTO organizations (id, name, created_at) VALUES ('org_default', 'Default', 0);
      INSERT INTO namespaces VALUES (1, 'ns_1', 'org_default', 'Old', 'old', 'old', '{"provider":"MANAGED_LEXICAL","model":"hash-1024"}',
        '{"provider":"MANAGED_SQLITE_VEC"}', 0, NULL);
      INSERT INTO scopes (id, namespace_id) VALUES (1, 'ns_1');`);
    const payloads = [
      { type: "CRAWL", url: "http://10.0.0.1/" },
      { type: "TEXT", text: "Kept." },
    ];
    for (const [index, payload] of payloads.entries()) {
      db.exec(`INSERT INTO ingest_jobs (seq, id, namespace_id, status, error, config, documents_total, documents_failed, created_at)
        VALUES (${index}, 'job_${index}', 'ns_1', 'FAILED', 'unsupported', '{}', 1, 1, 0)`);
      db.prepare("INSERT INTO ingest_job_payloads VALUES (?, ?)").run(index, JSON.stringify(payload));
      db.exec(`INSERT INTO documents (seq, id, ingest_job_id, namespace_id, scope_id, item, status, config, file_size, mime_type, created_at)
        VALUES (${index}, 'doc_${index}', 'job_${index}', 'ns_1', 1, 0, 'FAILED', '{}', 0, 'text/plain', 0)`);
      const source = payload.type === "TEXT" ? payload : { type: "CRAWLED_PAGE", url: payload.url };
      db.prepare("INSERT INTO document_sources VALUES (?, ?)").run(index, JSON.stringify(source));
    }
    const kb = new KnowledgeBase({ directory, worker: false });
    onTestFinished(() => kb.close());
    const documents = async () => (await kb.documents.list("old")).items.map(({ id, status }) => [id, status]);
    expect(await documents()).toEqual([["doc_1", "FAILED"]]);
    for (const job of ["job_0", "job_1"]) await kb.ingestJobs.reingest("old", job);
    await kb.drain();
    expect(await documents()).toEqual([["doc_1", "COMPLETED"]]);
    expect((await kb.ingestJobs.get("old", "job_0")).error).toContain("The URL is not allowed");
  });
});

describe("starting at once", () => {
  it("is safe for several connections in a process", async () => {
    const directory = temporaryDirectory();
    const opened = await Promise.all(Array.from({ length: 4 }, () => openSqliteStorage(directory)));
    await Promise.all(opened.map((database) => database.close()));
    expect(queryDatabase(directory, "SELECT count(*) AS rows FROM migrations")).toEqual([{ rows: MIGRATIONS.length }]);
  });

  it("is safe for several processes", async () => {
    const directory = temporaryDirectory();
    const script = `
      const { openSqliteStorage } = await import(dist + "storage/sqlite/sqlite-storage.js");
      const database = await openSqliteStorage(argv[0]);
      console.log(await database.tasks.count());
      await database.close();`;
    const ends = await Promise.all(Array.from({ length: 3 }, () => runScript(script, [directory])));
    expect(queryDatabase(directory, "SELECT count(*) AS rows FROM migrations")).toEqual([{ rows: MIGRATIONS.length }]);
    expect(ends).toEqual(Array(3).fill({ code: 0, signal: null, stdout: "0\n", stderr: "" }));
  });
});

describe("SQLite's version", () => {
  it("must have a write-ahead log that is safe with several connections", async () => {
    for (const version of ["3.51.3", "3.51.10", "3.52.0", "4.0.0"]) expect(isTooOld(version)).toBe(false);
    for (const version of ["3.51.2", "3.50.9", "3.9.99", "2.99.99"]) {
      expect(isTooOld(version)).toBe(true);
      const db = openConnection(":memory:", "writer");
      onTestFinished(() => void db.close());
      db.function("sqlite_version", { deterministic: true }, () => version);
      const { code, message } = await failureOf(() => requireSqlite(db));
      expect(code).toBe("unsupported");
      expect(message).toContain(`SQLite ${version} is too old: lorebase needs 3.51.3 or later.`);
    }
  });
});
