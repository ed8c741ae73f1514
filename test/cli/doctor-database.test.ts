import { expect, it, onTestFinished } from "vitest";
import { KnowledgeBase } from "#dist/index.js";
import { MIGRATIONS } from "#dist/storage/postgres/migrations/index.js";
import { openTestDatabase, POSTGRES_MISSING } from "../support/postgres.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { lorebaseHere } from "./lorebase.js";

interface Check {
  readonly name: string;
  readonly status: string;
  readonly found: string;
}

const KEY = "33".repeat(32);
const OTHER_KEY = "44".repeat(32);
const NAMES = ["PostgreSQL", "schema", "connections", "clock", "transactions", "notifications", "pgvector"];

async function examine(url: string, masterKey: string): Promise<{ code: number | null; checks: readonly Check[] }> {
  const env = { LOREBASE_DATABASE: url, LOREBASE_MASTER_KEY: masterKey };
  const { code, stdout } = await lorebaseHere(["doctor", "--json", "-d", temporaryDirectory()], env);
  const { checks } = JSON.parse(stdout) as { checks: readonly Check[] };
  return { code, checks: checks.slice(checks.findIndex(({ name }) => name === "PostgreSQL")) };
}

it("doctor checks a database before its first use and after it, its workers and its master key", async ({ skip }) => {
  const database = await openTestDatabase();
  if (!database) return skip(POSTGRES_MISSING);
  onTestFinished(() => database.drop());
  const before = await examine(database.url, KEY);
  expect(before.checks.map(({ name }) => name)).toEqual(NAMES);
  expect(before.checks.map(({ status }) => status)).toEqual(NAMES.map(() => "ok"));
  expect(before.checks[0]!.found).toMatch(/^\d+\.\d+, UTF8$/);
  expect(before.checks[1]!.found).toContain("none yet");
  expect(await database.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);

  const place = { directory: temporaryDirectory(), database: database.url, sharedDirectory: true };
  const kb = await new KnowledgeBase({ ...place, masterKey: KEY }).start();
  onTestFinished(() => kb.close());
  const { checks } = await examine(database.url, KEY);
  const find = (name: string) => checks.find((check) => check.name === name);
  expect(find("schema")).toMatchObject({ status: "ok", found: `version ${MIGRATIONS.length}` });
  expect(find("queue")).toMatchObject({ status: "ok", found: expect.stringMatching(/^0 tasks, /) });
  expect(find("workers")).toMatchObject({ status: "ok", found: "1 alive" });
  expect(find("master key")).toMatchObject({ status: "ok" });
  expect(JSON.stringify(checks)).not.toContain(KEY);

  const other = await examine(database.url, OTHER_KEY);
  expect(other.code).toBe(1);
  expect(other.checks.at(-1)).toMatchObject({ name: "master key", status: "failed" });
  expect((await examine(database.url, `${OTHER_KEY},${KEY}`)).checks.at(-1)).toMatchObject({ status: "ok" });
  expect((await examine(database.url, "")).checks.at(-1)).toMatchObject({ status: "warning" });
});

it("doctor says what is wrong with a database of a later version, without workers and with a full queue", async ({
  skip,
}) => {
  const database = await openTestDatabase();
  if (!database) return skip(POSTGRES_MISSING);
  onTestFinished(() => database.drop());
  const place = { directory: temporaryDirectory(), database: database.url, sharedDirectory: true };
  await (await new KnowledgeBase({ ...place, masterKey: KEY, worker: false }).start()).close();
  const { checks } = await examine(database.url, KEY);
  expect(checks.find(({ name }) => name === "workers")).toMatchObject({ status: "warning", found: "0 alive" });
  await database.query("INSERT INTO migrations VALUES (99, 'later', 'x', 99)");
  const later = await examine(database.url, KEY);
  expect(later.code).toBe(1);
  expect(later.checks[1]).toMatchObject({ name: "schema", status: "failed" });
  expect(later.checks[1]!.found).toContain("upgrade lorebase");
});

it("doctor says that a server can't be reached, without the password", async () => {
  const { code, checks } = await examine("postgres://someone:canary@127.0.0.1:1/none", KEY);
  expect(code).toBe(1);
  expect(checks).toMatchObject([{ name: "PostgreSQL", status: "failed" }]);
  expect(JSON.stringify(checks)).not.toContain("canary");
});

it("warns of a process with another master key", async ({ skip }) => {
  const database = await openTestDatabase();
  if (!database) return skip(POSTGRES_MISSING);
  onTestFinished(() => database.drop());
  const place = {
    directory: temporaryDirectory(),
    database: database.url,
    sharedDirectory: true,
    worker: false,
  } as const;
  const warningsWith = async (...masterKey: string[]) => {
    const kb = new KnowledgeBase({ ...place, masterKey });
    const warnings: string[] = [];
    kb.on("warning", ({ message }) => warnings.push(message));
    await (await kb.start()).close();
    return warnings;
  };
  expect(await warningsWith(KEY)).toEqual([]);
  expect(await warningsWith(OTHER_KEY, KEY)).toEqual([]);
  expect(await warningsWith("55".repeat(32))).toEqual([expect.stringContaining("the same masterKey")]);
});
