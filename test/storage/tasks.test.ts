import { describe, expect, it, onTestFinished } from "vitest";
import { isLeaseLost } from "#dist/storage/records/lease.js";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import type { ClaimedTask } from "../../src/storage/records/tasks.js";
import type { Storage } from "../../src/storage/storage.js";
import { writeDatabase } from "../support/database.js";
import { failureOf } from "../support/knowledge-base.js";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const LEASE_MS = 60_000;

interface OpenDatabase extends Storage {
  readonly directory: string;
}

async function openDatabase(directory = temporaryDirectory()): Promise<OpenDatabase> {
  const database = await openSqliteStorage(directory);
  onTestFinished(() => database.close());
  return { ...database, directory };
}

/** Purges of documents that don't exist: tasks with nothing behind them. */
async function addTasks(database: OpenDatabase, organization: string, count: number): Promise<void> {
  await database.organizations.ensure({ id: organization, name: organization, plan: null, now: 0 });
  const sql = "INSERT INTO tasks (organization_id, kind, subject, run_at) VALUES (?, 'purge', ?, 0)";
  const parameters = Array.from({ length: count }, (_, index) => [organization, `${organization} ${index}`]);
  writeDatabase(
    database.directory,
    parameters.map((row) => ({ sql, parameters: row })),
  );
}

const claim = (database: Storage, owner: string, now = 0): Promise<ClaimedTask | null> =>
  database.tasks.claim({ owner, now, leaseMs: LEASE_MS });

describe("claims", () => {
  it("go to one process each if several claim at once", async () => {
    const directory = temporaryDirectory();
    const database = await openDatabase(directory);
    await addTasks(database, "org_1", 400);
    const script = `
      const { openSqliteStorage } = await import(dist + "storage/sqlite/sqlite-storage.js");
      const database = await openSqliteStorage(argv[0]);
      for (;;) {
        const task = await database.tasks.claim({ owner: String(process.pid), now: 0, leaseMs: ${LEASE_MS} });
        if (!task) break;
        console.log(task.subject + " " + task.attempt + " " + task.lease.fence);
        await database.tasks.complete({ lease: task.lease });
      }
      await database.close();`;
    const ends = await Promise.all(Array.from({ length: 4 }, () => runScript(script, [directory])));
    expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(4).fill({ code: 0, stderr: "" }));
    const claimed = ends.flatMap(({ stdout }) => stdout.split("\n").filter(Boolean));
    expect(claimed.sort()).toEqual(Array.from({ length: 400 }, (_, index) => `org_1 ${index} 1 1`).sort());
  });

  it("serve the organization that has waited longest, its oldest task first", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_a", 50);
    await addTasks(database, "org_b", 2);
    await addTasks(database, "org_c", 1);
    const subjects = [];
    for (let count = 0; count < 6; count++) subjects.push((await claim(database, "one"))?.subject);
    expect(new Set(subjects.slice(0, 3))).toEqual(new Set(["org_a 0", "org_b 0", "org_c 0"]));
    expect(new Set(subjects.slice(3, 5))).toEqual(new Set(["org_a 1", "org_b 1"]));
    expect(subjects[5]).toBe("org_a 2");
  });

  it("skip ingest jobs of organizations with enough waiting jobs, but not their removals", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_a", 1);
    const sql = "INSERT INTO tasks (organization_id, kind, subject, run_at) VALUES (?, 'ingest', ?, 0)";
    await addTasks(database, "org_b", 0);
    writeDatabase(database.directory, [
      { sql, parameters: ["org_a", "job_a"] },
      { sql, parameters: ["org_b", "job_b"] },
    ]);
    const claimed = async () => {
      const claim = { owner: "one", now: 0, leaseMs: LEASE_MS, fullOrganizations: ["org_a"] };
      return (await database.tasks.claim(claim))?.subject;
    };
    expect([await claimed(), await claimed()].sort()).toEqual(["job_b", "org_a 0"]);
    expect(await claimed()).toBeUndefined();
    expect((await claim(database, "one"))?.subject).toBe("job_a");
  });

  it("wait until a task is due", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_1", 1);
    const { lease } = (await claim(database, "one"))!;
    await database.tasks.release({ lease, now: 0, delayMs: 1000, error: "later", countsAsAttempt: true });
    expect(await claim(database, "one", 999)).toBeNull();
    expect(await claim(database, "one", 1000)).toMatchObject({ attempt: 2, subject: "org_1 0" });
  });

  it("count attempts, except those that do not count", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_1", 1);
    for (const [countsAsAttempt, attempt] of [
      [true, 1],
      [false, 2],
      [true, 2],
      [true, 3],
    ] as const) {
      const task = (await claim(database, "one"))!;
      expect(task.attempt).toBe(attempt);
      await database.tasks.release({ lease: task.lease, now: 0, delayMs: 0, error: null, countsAsAttempt });
    }
  });
});

describe("if the clock is set back, tasks", () => {
  const DAYS = 24 * 3_600_000;

  it("that need not wait are claimed at once", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_1", 1);
    const task = (await claim(database, "one", 3 * DAYS))!;
    await database.tasks.release({ lease: task.lease, now: 3 * DAYS, delayMs: 0, error: null, countsAsAttempt: false });
    expect(await database.tasks.hasDue({ now: 0, fullOrganizations: [] })).toBe(true);
    expect(await claim(database, "one", 0)).toMatchObject({ subject: "org_1 0" });
  });

  it("wait no longer than their delay", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_1", 1);
    const task = (await claim(database, "one", 3 * DAYS))!;
    await database.tasks.release({
      lease: task.lease,
      now: 3 * DAYS,
      delayMs: 1000,
      error: "later",
      countsAsAttempt: true,
    });
    expect(await claim(database, "one", 5000)).toBeNull();
    await database.tasks.reclaim({ deadProcesses: [], now: 5000, leaseMs: LEASE_MS });
    expect(await claim(database, "one", 5999)).toBeNull();
    expect(await claim(database, "one", 6000)).toMatchObject({ subject: "org_1 0" });
  });

  it("of a process that is gone are released after a lease", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_1", 1);
    await claim(database, "gone", 3 * DAYS);
    await database.tasks.reclaim({ deadProcesses: [], now: 0, leaseMs: LEASE_MS });
    expect(await database.tasks.reclaim({ deadProcesses: [], now: LEASE_MS + 1, leaseMs: LEASE_MS })).toBe(1);
  });
});

describe("a lease", () => {
  it("allows no writes after a later claim", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_1", 1);
    const { lease: old } = (await claim(database, "one"))!;
    await database.tasks.reclaim({ deadProcesses: [], now: LEASE_MS + 1, leaseMs: LEASE_MS });
    const { lease } = (await claim(database, "two", LEASE_MS + 1))!;
    const writes = [
      () => database.tasks.complete({ lease: old }),
      () => database.tasks.release({ lease: old, now: 0, delayMs: 0, error: null, countsAsAttempt: true }),
      () => database.documents.purgeChunks({ lease: old, documentSeq: 1, generation: 1 }),
      () => database.documents.move({ lease: old, seq: 1, status: "PRE_PROCESSING", now: 0 }),
      () => database.documents.openGeneration({ lease: old, seq: 1, now: 0 }),
      () => database.documents.fail({ lease: old, seq: 1, error: "no", now: 0 }),
      () => database.documents.remove({ lease: old, documentId: "doc_1", now: 1 }),
      () => database.namespaces.remove({ lease: old, namespaceId: "ns_1" }),
    ];
    for (const write of writes) expect(isLeaseLost(await failureOf(write))).toBe(true);
    await database.tasks.complete({ lease });
  });

  it("is refused to its owner after the owner's later claim", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_1", 1);
    const { lease: old } = (await claim(database, "one"))!;
    await database.tasks.reclaim({ deadProcesses: [], now: LEASE_MS + 1, leaseMs: LEASE_MS });
    await claim(database, "one", LEASE_MS + 1);
    expect(isLeaseLost(await failureOf(() => database.tasks.complete({ lease: old })))).toBe(true);
  });

  it("lasts while its process sends heartbeats", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_1", 2);
    const { lease } = (await claim(database, "one"))!;
    await claim(database, "two");
    const process = { id: "one", host: "here", pid: 1 };
    const running = [lease];
    await database.processes.recordHeartbeat({ process, running, now: LEASE_MS - 1, leaseMs: LEASE_MS });
    expect(await database.tasks.reclaim({ deadProcesses: [], now: LEASE_MS + 1, leaseMs: LEASE_MS })).toBe(1);
    await database.tasks.complete({ lease });
  });

  it("expires for a task that its live process doesn't run", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_1", 3);
    const [first, , third] = [await claim(database, "one"), await claim(database, "one"), await claim(database, "one")];
    const process = { id: "one", host: "here", pid: 1 };
    const running = [first!.lease, third!.lease];
    await database.processes.recordHeartbeat({ process, running, now: LEASE_MS - 1, leaseMs: LEASE_MS });
    expect(await database.tasks.reclaim({ deadProcesses: [], now: LEASE_MS + 1, leaseMs: LEASE_MS })).toBe(1);
    expect(await claim(database, "two", LEASE_MS + 1)).toMatchObject({ subject: "org_1 1" });
  });

  it("of a dead process ends at once, and the process is removed", async () => {
    const database = await openDatabase();
    await addTasks(database, "org_1", 2);
    for (const id of ["dead", "alive"]) {
      await database.processes.recordHeartbeat({
        process: { id, host: "here", pid: 1 },
        running: [],
        now: 0,
        leaseMs: LEASE_MS,
      });
      await claim(database, id);
    }
    expect(await database.tasks.reclaim({ deadProcesses: ["dead"], now: 1, leaseMs: LEASE_MS })).toBe(1);
    expect(await claim(database, "third", 1)).toMatchObject({ attempt: 2 });
    expect(await database.processes.list({ since: 0 })).toEqual([{ id: "alive", host: "here", pid: 1 }]);
  });
});
