import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import { requireLease } from "#dist/storage/records/lease.js";
import type { Operation } from "../../src/storage/operation.js";
import type { Lease } from "../../src/storage/records/lease.js";

// A worker process of the campaign over PostgreSQL: `postgres-child.ts <url> <owner> <leaseMs>`. Claims tasks until none is
// left, and takes over those whose lease has expired.
const [url, owner, leaseMs] = process.argv.slice(2) as [string, string, string];
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
