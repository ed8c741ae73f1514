import { vectorStoreContract } from "lorebase/testing";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { KnowledgeBase } from "#dist/knowledge-base.js";
import { postgresSessions } from "#dist/vector-stores/pgvector/postgres-sessions.js";
import { inTransaction } from "#dist/vector-stores/pgvector/sessions.js";
import { pgvectorStore } from "#dist/vector-stores/pgvector/vector-store.js";
import { failureOf, LEXICAL } from "../../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

/** Whether the tests' server has pgvector, as one that LOREBASE_TEST_POSTGRES names may. */
const [extension] = (await database?.query("SELECT FROM pg_available_extensions WHERE name = 'vector'")) ?? [];
const NAMESPACE = { name: "Notes", slug: "notes", vectorStoreConfig: { provider: "MANAGED_PGVECTOR" } };

describe.skipIf(!database || extension)(`a server without pgvector${database ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  it.each([
    [
      "the knowledge base's own",
      () => ({ database: database!.url, sharedDirectory: true, masterKey: "ab".repeat(32) }),
    ],
    ["another", () => ({ managed: { pgvector: { url: database!.url } } })],
  ])("is refused when a namespace is created: %s database", async (_, options) => {
    const kb = new KnowledgeBase({ directory: temporaryDirectory(), defaultEmbedding: LEXICAL, ...options() });
    onTestFinished(() => kb.close());
    const error = await failureOf(() => kb.namespaces.create(NAMESPACE));
    expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", "vectorStoreConfig"]);
    const { host, pathname } = new URL(database!.url);
    expect(error.message).toMatch(
      `vectorStoreConfig: MANAGED_PGVECTOR can't use postgres://${host}${pathname}: the server has no extension pgvector.`,
    );
    expect((await kb.namespaces.list()).items).toEqual([]);
  });
});

describe.skipIf(!database)(`connections${database ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  const open = async () => {
    const sessions = await postgresSessions(database!.url);
    onTestFinished(() => sessions.close());
    return sessions;
  };

  it("roll back what fails, and go on", async () => {
    const sessions = await open();
    await sessions.withConnection((session) => session.query("CREATE TABLE numbers (n int PRIMARY KEY)"));
    const insert = (n: number) =>
      sessions.withConnection((session) =>
        inTransaction(session, async () => {
          await session.query("INSERT INTO numbers VALUES ($1)", [n]);
          await session.query("INSERT INTO numbers VALUES ($1)", [1]);
        }),
      );
    await insert(0);
    const error = await failureOf(() => insert(2));
    expect([error.code, error.retryable]).toEqual(["store_failed", false]);
    expect(error.message).toMatch(/^pgvector at postgres:\/\/127\.0\.0\.1:\d+\/\w+ failed: duplicate key/);
    const rows = await sessions.withConnection((session) => session.query("SELECT n FROM numbers ORDER BY n"));
    expect(rows).toEqual([{ n: 0 }, { n: 1 }]);
  });

  it("limit the time of statements and of pauses in transactions, and nowhere else", async () => {
    const sessions = await open();
    const settings = `SELECT current_setting('statement_timeout') AS statement,
      current_setting('idle_in_transaction_session_timeout') AS pause`;
    const [before, during, after] = await sessions.withConnection(async (session) => [
      await session.query(settings),
      await inTransaction(session, () => session.query(settings)),
      await session.query(settings),
    ]);
    expect(during).toEqual([{ statement: "1min", pause: "20s" }]);
    expect(after).toEqual(before);
    expect(before).not.toEqual(during);
  });

  it("end a call with the reason of its signal, and break its transaction", async () => {
    const sessions = await open();
    const controller = new AbortController();
    const reason = new DOMException("enough", "AbortError");
    const call = sessions.withConnection(
      (session) =>
        inTransaction(session, async () => {
          await session.query("CREATE TABLE unfinished ()");
          controller.abort(reason);
          await session.query("SELECT pg_sleep(600)");
        }),
      { signal: controller.signal },
    );
    await expect(call).rejects.toBe(reason);
    const [found] = await database!.query<{ there: boolean }>("SELECT to_regclass('unfinished') IS NOT NULL AS there");
    expect(found).toEqual({ there: false });
  });

  it("break what runs for long when they are closed", async () => {
    const sessions = await postgresSessions(database!.url);
    let start = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const build = sessions.withOwnConnection(async (session) => {
      await session.query("SELECT 1");
      start();
      await session.query("SELECT pg_sleep(600)");
    });
    const ended = failureOf(() => build);
    await started;
    await sessions.close();
    expect((await ended).code).toBe("store_failed");
  });

  it("can be tried again if the server is away, and hide the password", async () => {
    const sessions = await postgresSessions("postgres://me:canary@127.0.0.1:1/kb");
    onTestFinished(() => sessions.close());
    const error = await failureOf(() => sessions.withConnection((session) => session.query("SELECT 1")));
    expect([error.code, error.retryable]).toEqual(["store_failed", true]);
    expect(`${error.message} ${error.stack} ${sessions.address}`).not.toContain("canary");
  });
});

describe("a server with pgvector", () => {
  const create = async () => {
    await database!.query("DROP TABLE IF EXISTS lorebase_vectors");
    const sessions = await postgresSessions(database!.url);
    return pgvectorStore({ provider: "MANAGED_PGVECTOR", sessions, onWarning: expect.unreachable });
  };
  if (extension) for (const { name, run } of vectorStoreContract(create, { ties: "ids" })) it(name, run);
  else it("meets the contract", ({ skip }) => skip("LOREBASE_TEST_POSTGRES names no server with pgvector"));
});
