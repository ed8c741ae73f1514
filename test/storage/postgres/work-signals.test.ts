import pg from "pg";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { KnowledgeBase } from "#dist/index.js";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { PostgresWorkSignals } from "#dist/storage/postgres/work-signals.js";
import { LEXICAL } from "../../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { IS_POOLED } from "../../support/postgres-server.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const server = await openTestDatabase();
await server?.drop();

describe.skipIf(!server)(`signals of work${server ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  if (IS_POOLED) beforeEach(({ skip }) => skip("no notification arrives behind a pooler"));

  it("let a worker take a job at once that a process without a worker has created", async () => {
    // The worker never looks at the queue by itself.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await openDatabase();
    const place = { directory: temporaryDirectory(), database: url, masterKey: "99".repeat(32), sharedDirectory: true };
    const worker = await new KnowledgeBase(place).start();
    onTestFinished(() => worker.close());
    const web = new KnowledgeBase({ ...place, worker: false });
    onTestFinished(() => web.close());
    await web.namespaces.create({ name: "Notes", slug: "notes", embeddingConfig: LEXICAL });
    await expect.poll(() => listeners(url)).toBe(1);
    const run = await web.ingest("notes", { type: "TEXT", text: "The lamp is lit at dusk." });
    expect((await run.done()).status).toBe("COMPLETED");
  });

  it("are few, however much work is added", async () => {
    const { url } = await openDatabase();
    const opened = await openPostgres(url);
    onTestFinished(() => opened.database.close());
    const listener = new pg.Client({ connectionString: url });
    await listener.connect();
    onTestFinished(() => listener.end());
    const received: (string | undefined)[] = [];
    listener.on("notification", ({ channel, payload }) => received.push(`${channel}${payload}`));
    await listener.query("LISTEN lorebase_work; LISTEN other");
    const signals = new PostgresWorkSignals(opened.database, url, (error) => {
      throw error;
    });
    for (let send = 0; send < 100; send++) signals.send();
    await expect.poll(() => received).toEqual(["lorebase_work", "lorebase_work"]);
    await opened.database.runAlone(function* (tx) {
      yield* tx.run("NOTIFY other");
    });
    await expect.poll(() => received).toEqual(["lorebase_work", "lorebase_work", "other"]);
  });

  it("stop with their listener", async () => {
    const { url } = await openDatabase();
    const opened = await openPostgres(url);
    onTestFinished(() => opened.database.close());
    const signals = new PostgresWorkSignals(opened.database, url, () => {});
    const listening = signals.listen(() => {});
    await expect.poll(() => listeners(url)).toBe(1);
    listening[Symbol.dispose]();
    await expect.poll(() => listeners(url)).toBe(0);
  });
});

async function openDatabase() {
  const database = (await openTestDatabase())!;
  onTestFinished(() => database.drop());
  return database;
}

async function listeners(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    );
    return rows[0].count;
  } finally {
    await client.end();
  }
}
