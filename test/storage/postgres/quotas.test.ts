import pg from "pg";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import type { DocumentPublication } from "../../../src/storage/records/documents.js";
import type { ClaimedTask } from "../../../src/storage/records/tasks.js";
import type { Storage } from "../../../src/storage/storage.js";
import type { Usage } from "../../../src/types.js";
import { failureOf } from "../../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import {
  begin,
  CAPACITY,
  claim,
  NAMESPACE,
  newJob,
  ORGANIZATION,
  publication,
} from "../../support/stored-documents.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

const quota = { organizationId: "org", capacity: CAPACITY, now: 1 };

describe.skipIf(!database)(`quotas with three processes${database ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  it("jobs that are created and cancelled at the same time never exceed the number of active jobs", async () => {
    const processes = await openProcesses();
    const ids = Array.from({ length: 30 }, (_, index) => `job-${index}`);
    await Promise.all(ids.map((id, index) => processes[index % 3]!.jobs.create(newJob(id))));
    expect(await countByStatus()).toEqual({ QUEUED: CAPACITY, BACKLOG: 30 - CAPACITY });
    await Promise.all(
      ids
        .slice(0, 12)
        .flatMap((id, index) => [
          processes[index % 3]!.jobs.cancel({ ...quota, jobId: id }),
          processes[(index + 1) % 3]!.jobs.create(newJob(`more-${index}`)),
        ]),
    );
    expect(await countByStatus()).toEqual({ QUEUED: CAPACITY, CANCELLED: 12, BACKLOG: 42 - 12 - CAPACITY });
    expect(await processes[0]!.tasks.count()).toBe(CAPACITY);
  });

  it("of jobs with one external id, and namespaces with one slug, one is created", async () => {
    const processes = await openProcesses();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 9 }, (_, index) =>
        processes[index % 3]!.jobs.create({ ...newJob(`same-${index}`), externalId: "the same" }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const namespaces = await Promise.all(
      Array.from({ length: 9 }, (_, index) => {
        const namespace = { ...NAMESPACE, id: `ns-${index}`, slug: "other" };
        return processes[index % 3]!.namespaces.ensure({ namespace: namespace as never, sealed: [] });
      }),
    );
    expect(new Set(namespaces.map(({ id }) => id)).size).toBe(1);
    expect(
      await failureOf(() =>
        processes[0]!.namespaces.create({
          namespace: { ...NAMESPACE, id: "ns-x", slug: "other" } as never,
          sealed: [],
        }),
      ),
    ).toMatchObject({ code: "conflict" });
  });
});

describe.skipIf(!database)(
  `a quota of an organization, near its limit${database ? "" : ` (${POSTGRES_MISSING})`}`,
  () => {
    it("has room for one of two jobs that create their documents at the same time", async () => {
      const processes = await openProcesses();
      const tasks = await queueTwo(processes);
      await processes[0]!.organizations.update({ id: "org", quota: { documents: 1 } });
      const outcomes = await overlapping(() =>
        tasks.map(({ lease, subject }, index) => begin(processes[index]!, lease, subject)),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await usedBy(processes[0]!)).toMatchObject({ documents: 1 });
    });

    it("has room for one of two documents that are published at the same time", async () => {
      const processes = await openProcesses();
      const tasks = await queueTwo(processes);
      const publications: DocumentPublication[] = [];
      for (const { lease, subject } of tasks) {
        const [document] = await begin(processes[0]!, lease, subject);
        const { seq } = document!;
        await processes[0]!.documents.move({ lease, seq, status: "PRE_PROCESSING", now: 1 });
        const generation = (await processes[0]!.documents.openGeneration({ lease, seq, now: 1 }))!;
        publications.push({ ...publication(lease, seq, generation), tokens: 6 });
      }
      await processes[0]!.organizations.update({ id: "org", quota: { tokens: 10 } });
      const outcomes = await overlapping(() =>
        publications.map((each, index) => processes[index]!.documents.publish(each)),
      );
      expect(outcomes.map((outcome) => outcome.status === "fulfilled" && outcome.value).sort()).toEqual([false, true]);
      expect(await usedBy(processes[0]!)).toMatchObject({ documents: 2, tokens: 6 });
    });

    it("is compared with a usage that two repairs at the same time correct once", async () => {
      const processes = await openProcesses();
      const [task] = await queueTwo(processes);
      await begin(processes[0]!, task!.lease, task!.subject);
      await database!.query("UPDATE usage_changes SET documents = 4, tokens = 7");
      expect(await processes[0]!.check.usage()).toEqual([
        { namespaceId: "ns", difference: { documents: 3, bytes: 0, tokens: 7 } },
      ]);
      await overlapping(() => [0, 1].map((index) => processes[index]!.check.repairUsage({ namespaceId: "ns" })));
      expect(await processes[0]!.check.usage()).toEqual([]);
      expect(await usedBy(processes[0]!)).toEqual({ documents: 1, bytes: 3, tokens: 0 });
    });
  },
);

/** Runs two changes so that none is committed before both are, or one waits for the other. */
async function overlapping<Result>(
  change: () => readonly Promise<Result>[],
): Promise<readonly PromiseSettledResult<Result>[]> {
  await database!.query(
    `CREATE FUNCTION wait_at_commit() RETURNS trigger LANGUAGE plpgsql
     AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END'`,
  );
  await database!.query(
    `CREATE CONSTRAINT TRIGGER wait_at_commit AFTER INSERT ON usage_changes DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION wait_at_commit()`,
  );
  const other = new pg.Client(database!.url);
  await other.connect();
  await other.query("BEGIN; SELECT pg_advisory_xact_lock(1)");
  const outcomes = Promise.allSettled(change());
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  while ((await database!.query(waiting)).length < 2);
  await other.query("COMMIT");
  await other.end();
  return outcomes;
}

/** The tasks of jobs in two namespaces with a document each, which has three bytes. */
async function queueTwo([first]: readonly Storage[]): Promise<readonly ClaimedTask[]> {
  const tasks: ClaimedTask[] = [];
  await first!.namespaces.create({ namespace: { ...NAMESPACE, id: "other", slug: "other" } as never, sealed: [] });
  for (const namespaceId of ["ns", "other"])
    await first!.jobs.create({ ...newJob(`job-${namespaceId}`), namespaceId, capacity: 100 });
  for (const owner of ["first", "second"]) tasks.push((await claim(first!, owner, 0))!);
  return tasks;
}

async function usedBy(storage: Storage): Promise<Usage> {
  return (await storage.organizations.getUsage({ organizationId: "org" }))!.usage;
}

async function openProcesses(): Promise<readonly Storage[]> {
  await database!.query("DROP SCHEMA public CASCADE");
  await database!.query("CREATE SCHEMA public");
  const processes = await Promise.all(
    [1, 2, 3].map(async () => postgresStorage(await openPostgres(database!.url), { memoryBytes: 0 })),
  );
  onTestFinished(async () => void (await Promise.all(processes.map((storage) => storage.close()))));
  await processes[0]!.organizations.create(ORGANIZATION);
  await processes[0]!.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
  return processes;
}

async function countByStatus(): Promise<Readonly<Record<string, number>>> {
  const rows = await database!.query<{ status: string; jobs: number }>(
    "SELECT status, count(*) AS jobs FROM ingest_jobs GROUP BY status",
  );
  return Object.fromEntries(rows.map(({ status, jobs }) => [status, jobs]));
}
