import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import type { ClaimedTask } from "../../src/storage/records/tasks.js";
import type { Storage } from "../../src/storage/storage.js";
import { failureOf } from "../support/knowledge-base.js";
import { runScript } from "../support/run-script.js";
import { begin, claim, ORGANIZATION as FIRST, NAMESPACE, newJob } from "../support/stored-documents.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

async function openDatabase(): Promise<Storage> {
  const database = await openSqliteStorage(temporaryDirectory());
  onTestFinished(() => database.close());
  return database;
}

const ORGANIZATION = { name: "One", plan: null, now: 0 } as const;
const RANGE = { after: null, direction: "asc", offset: 0, limit: 1000 } as const;

async function ids(database: Storage): Promise<readonly string[]> {
  return (await database.organizations.list({ range: RANGE })).map(({ id }) => id);
}

describe("the database", () => {
  it("applies a write completely or not at all", async () => {
    const database = await openDatabase();
    await database.organizations.create(FIRST);
    await database.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
    const upload = { key: "key", fileName: "a.txt", contentType: "text/plain", fileSize: 1, sha256: null };
    const announce = {
      namespaceId: "ns",
      uploads: [upload, { ...upload, key: "other" }, upload],
      now: 0,
      expiresAt: 1,
    };
    expect((await failureOf(() => database.uploads.create(announce))).code).toBe("store_failed");
    expect(await database.uploads.listOfNamespace({ namespaceId: "ns" })).toEqual([]);
  });

  it("reads every acknowledged write", async () => {
    const database = await openDatabase();
    for (let count = 1; count <= 50; count++) {
      await database.organizations.create({ ...ORGANIZATION, id: `org_${count}` });
      expect(await ids(database)).toHaveLength(count);
    }
  });

  it("refuses calls after it is closed", async () => {
    const database = await openSqliteStorage(temporaryDirectory());
    await database.close();
    expect((await failureOf(() => ids(database))).message).toBe("The database is closed.");
  });

  it("reports a full disk, keeps acknowledged writes, and continues to serve reads", async () => {
    const directory = temporaryDirectory();
    // A limit on the size of files stands for a small disk: 2048 blocks of 512 bytes.
    const script = `
      const { openSqliteStorage } = await import(dist + "storage/sqlite/sqlite-storage.js");
      const database = await openSqliteStorage(argv[0]);
      let answered = 0;
      const failure = await (async () => {
        for (;;) {
          await database.organizations.create({ id: "org_" + answered, name: "x".repeat(50_000), plan: null, now: 0 });
          answered++;
        }
      })().catch((error) => error);
      const rows = await database.organizations.list({ range: ${JSON.stringify(RANGE)} });
      const { code, message, retryable } = failure;
      console.log(JSON.stringify({ code, message, retryable, answered, read: rows.length }));
      process.exit();`;
    const { stdout, stderr } = await runScript(script, [directory], "ulimit -f 2048");
    expect(stderr).toBe("");
    const { answered, read, ...failure } = JSON.parse(stdout);
    expect(failure).toMatchObject({ code: "storage_full", retryable: true });
    expect(failure.message).toMatch(/^The disk of the database is full\./);
    expect(answered).toBeGreaterThan(0);
    expect(read).toBe(answered);
    const reopened = await openSqliteStorage(directory);
    expect(await ids(reopened)).toHaveLength(answered);
    await reopened.close();
  });

  it("has room for one of two jobs of two processes that create their documents near a quota", async () => {
    const directory = temporaryDirectory();
    const processes = [await openSqliteStorage(directory), await openSqliteStorage(directory)];
    onTestFinished(async () => void (await Promise.all(processes.map((database) => database.close()))));
    const [first] = processes;
    await first!.organizations.create({ ...FIRST, quota: { documents: 1 } });
    await first!.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
    const tasks: ClaimedTask[] = [];
    for (const id of ["one", "other"]) await first!.jobs.create({ ...newJob(id), capacity: 100 });
    for (const owner of ["first", "second"]) tasks.push((await claim(first!, owner, 0))!);
    const outcomes = await Promise.allSettled(
      tasks.map(({ lease, subject }, index) => begin(processes[index]!, lease, subject)),
    );
    const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(failures).toEqual([expect.objectContaining({ code: "limit_exceeded" })]);
    expect((await first!.organizations.getUsage({ organizationId: "org" }))!.usage.documents).toBe(1);
  });
});
