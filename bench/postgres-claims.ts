import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";

// A process of the benchmark: claims and completes tasks until none is left, and prints their sequence numbers.
const [url, owner] = process.argv.slice(2) as [string, string];
const storage = postgresStorage(await openPostgres(url), { memoryBytes: 0 });
const claimed: number[] = [];
for (;;) {
  const task = await storage.tasks.claim({ owner, now: Date.now(), leaseMs: 60_000 });
  if (!task) break;
  claimed.push(task.lease.taskSeq);
  await storage.tasks.complete({ lease: task.lease });
}
await storage.close();
process.stdout.write(JSON.stringify(claimed));
