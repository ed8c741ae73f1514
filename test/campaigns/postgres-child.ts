import { setTimeout as sleep } from "node:timers/promises";
import type { Operation } from "../../src/storage/operation.js";
import type { Lease } from "../../src/storage/records/lease.js";

// A worker process of the campaign over PostgreSQL: `postgres-child.ts <dist> <url> <owner> <leaseMs>`. Claims tasks until none is
// left, and takes over those whose lease has expired.
const [dist, url, owner, leaseMs] = process.argv.slice(2) as [string, string, string, string];
const load = (module: string) => import(new URL(`storage/${module}`, dist).href);
const { openPostgres } = (await load(
  "postgres/open-postgres.js",
)) as typeof import("#dist/storage/postgres/open-postgres.js");
const { postgresStorage } = (await load(
  "postgres/postgres-storage.js",
)) as typeof import("#dist/storage/postgres/postgres-storage.js");
const { requireLease } = (await load("records/lease.js")) as typeof import("#dist/storage/records/lease.js");
const opened = await openPostgres(url);
const storage = postgresStorage(opened, { memoryBytes: 0 });
const quota = { organizationId: "", capacity: 1_000_000 };
while ((await storage.tasks.count()) > 0) {
  const now = Date.now();
  await storage.tasks.reclaim({ deadProcesses: [], now, leaseMs: Number(leaseMs) });
  const task = await storage.tasks.claim({ owner, now, leaseMs: Number(leaseMs) });
  if (!task) {
    await sleep(20);
    continue;
  }
  const { lease, subject: jobId, organizationId } = task;
  try {
    await noteFence(lease);
    await storage.jobs.move({ lease, jobId, status: "PRE_PROCESSING", now });
    await noteFence(lease);
    await storage.jobs.move({ lease, jobId, status: "PROCESSING", now });
    // The effect of the task, which must happen once: counted in the transaction that ends it.
    await storage.jobs.finish({ lease, jobId, ...quota, organizationId, now });
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("Another worker")) throw error;
  }
}
await storage.close();

/** Writes as a worker does, with its lease. The numbers of a task's rows are in the order of their commits. */
function noteFence(lease: Lease): Promise<void> {
  return opened.database.write(function* (tx): Operation<void> {
    yield* requireLease(tx, lease);
    yield* tx.exec(
      "INSERT INTO fences SELECT ?, coalesce(max(number), 0) + 1, ? FROM fences WHERE task = ?",
      ...[lease.taskSeq, lease.fence, lease.taskSeq],
    );
  });
}
