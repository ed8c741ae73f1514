import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import type { Storage } from "../../../src/storage/storage.js";
import { failureOf } from "../../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { CAPACITY, NAMESPACE, newJob, ORGANIZATION } from "../../support/stored-documents.js";

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
