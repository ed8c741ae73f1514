import { describe, expect, it, onTestFinished, vi } from "vitest";
import { migrate } from "#dist/storage/postgres/migrate.js";
import { MIGRATIONS } from "#dist/storage/postgres/migrations/index.js";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import type { Migration } from "../../../src/storage/migration-history.js";
import { failureOf } from "../../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";

const SUPPORTED = MIGRATIONS.length;
const organization = (id: string) => ({ id, name: id, plan: null, now: 0 });

/** What the next version of lorebase might do. */
const adding: Migration = {
  name: "adding",
  sql: "ALTER TABLE organizations ADD COLUMN region text NOT NULL DEFAULT 'eu'",
  compatibleSince: SUPPORTED,
};
/** What the version after that might do, once no process of this version is left. */
const removing: Migration = { name: "removing", sql: "ALTER TABLE organizations DROP COLUMN served" };

const server = await openTestDatabase();
await server?.drop();

describe.skipIf(!server)(`versions of lorebase on one database${server ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  it("this version and the next work side by side while the next one migrates and after it", async () => {
    const { url, query } = await openDatabase();
    const old = await openVersion(url);
    await old.organizations.create(organization("before"));
    const next = await openVersion(url, [...MIGRATIONS, adding]);
    await next.organizations.create(organization("next"));
    await old.organizations.create(organization("after"));
    const restarted = await openVersion(url);
    expect((await restarted.organizations.get({ id: "next" }))?.name).toBe("next");
    expect(await query("SELECT id, region FROM organizations ORDER BY seq")).toEqual(
      ["before", "next", "after"].map((id) => ({ id, region: "eu" })),
    );
    expect(await query("SELECT version, compatible_since FROM migrations ORDER BY version DESC LIMIT 1")).toEqual([
      { version: SUPPORTED + 1, compatible_since: SUPPORTED },
    ]);
  });

  it("this version stops, and opens no more, after a migration that it can't work with", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await openDatabase();
    const errors: unknown[] = [];
    const old = await openVersion(url, MIGRATIONS, (error) => errors.push(error));
    const newest = await openVersion(url, [...MIGRATIONS, adding, removing]);
    vi.advanceTimersByTime(15_000);
    await expect.poll(() => errors).toHaveLength(1);
    const message =
      `The database has schema version ${SUPPORTED + 2}, but this version of lorebase supports only ${SUPPORTED}: ` +
      "upgrade lorebase to open it.";
    expect(errors[0]).toMatchObject({ code: "unsupported", message });
    expect(await failureOf(() => old.organizations.list({ range: {} as never }))).toMatchObject({ message });
    for (const call of [() => old.index.maintain({}), () => openPostgres(url)])
      expect(await failureOf(call)).toMatchObject({ code: "unsupported", message });
    expect(await newest.organizations.get({ id: "none" })).toBeUndefined();
  });

  it("opens while the next one migrates, however long that takes", async () => {
    const { url } = await openDatabase();
    const { database } = await openPostgres(url);
    onTestFinished(() => database.close());
    const opened = await database.write(function* (tx) {
      yield* migrate(tx, [...MIGRATIONS, adding]);
      return yield openVersion(url);
    });
    expect(opened).toBeDefined();
  });

  it("a migration gives up its locks while others work, and gets them later", async () => {
    const { url, query } = await openDatabase();
    const old = await openPostgres(url);
    onTestFinished(() => old.database.close());
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reading = old.database.read(function* (tx) {
      yield* tx.all("SELECT * FROM organizations");
      yield held;
    });
    const migrated = openVersion(url, [...MIGRATIONS, adding]);
    await expect.poll(() => query("SELECT 1 AS one FROM pg_locks WHERE NOT granted")).toEqual([{ one: 1 }]);
    release();
    await reading;
    await migrated;
    expect(await query("SELECT region FROM organizations")).toEqual([]);
  });
});

async function openDatabase() {
  const database = (await openTestDatabase())!;
  onTestFinished(() => database.drop());
  return database;
}

async function openVersion(url: string, migrations = MIGRATIONS, onError = (_: unknown) => {}) {
  const storage = postgresStorage(await openPostgres(url, "use", migrations), { memoryBytes: 0 }, onError);
  onTestFinished(() => storage.close());
  return storage;
}
