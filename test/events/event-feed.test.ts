import { expect, it, onTestFinished } from "vitest";
import { EventBus } from "#dist/events/event-bus.js";
import { EventFeed } from "#dist/events/event-feed.js";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import { type SqlStatement, writeDatabase } from "../support/database.js";
import { NAMESPACE, newJob, ORGANIZATION } from "../support/stored-documents.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

async function openFeed(jobs: readonly string[]) {
  const directory = temporaryDirectory();
  const storage = await openSqliteStorage(directory);
  await storage.organizations.create(ORGANIZATION);
  await storage.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
  for (const id of jobs) await storage.jobs.create(newJob(id));
  const { lastSeq } = await storage.events.findChangedJobs({ after: 0, watched: [] });
  const events = new EventBus();
  const emitted: string[] = [];
  let waiting: (() => void) | null = null;
  events.on("job.status", ({ jobId, seq, error }) => {
    emitted.push(`${jobId} ${seq - lastSeq} ${error}`);
    waiting?.();
  });
  const feed = await EventFeed.start({ storage, events });
  onTestFinished(async () => {
    feed.stop();
    await storage.close();
  });
  const eventOf = (jobId: string, seq: number, error: string): SqlStatement => {
    const counts = { documents: { total: 0, completed: 0, failed: 0 }, pages: 0, chunks: 0, embedded: 0 };
    const data = JSON.stringify({ type: "job.status", status: "FAILED", error, counts });
    const sql = "INSERT INTO events (seq, ingest_job_id, data) VALUES (?, ?, ?)";
    return { sql, parameters: [lastSeq + seq, jobId, data] };
  };
  return {
    emitted,
    eventOf,
    write: (statements: readonly SqlStatement[]) => writeDatabase(directory, statements),
    insert: (...event: Parameters<typeof eventOf>) => writeDatabase(directory, [eventOf(...event)]),
    async untilEmitted(count: number) {
      const done = new Promise<void>((resolve) => {
        waiting = () => emitted.length >= count && resolve();
      });
      events.emitJobChanged("any");
      if (emitted.length < count) await done;
    },
  };
}

it("emits an event that was committed after a later-numbered one of another job", async () => {
  const { emitted, insert, untilEmitted } = await openFeed(["a", "b"]);
  insert("b", 2, "second");
  await untilEmitted(1);
  insert("a", 1, "first");
  await untilEmitted(2);
  insert("b", 3, "third");
  await untilEmitted(3);
  expect(emitted).toEqual(["b 2 second", "a 1 first", "b 3 third"]);
});

it("emits the events of a job in their order, and none twice", async () => {
  const { emitted, insert, untilEmitted } = await openFeed(["a"]);
  for (const [index, error] of ["one", "two", "three"].entries()) insert("a", index + 1, error);
  await untilEmitted(3);
  insert("a", 4, "four");
  await untilEmitted(4);
  expect(emitted).toEqual(["a 1 one", "a 2 two", "a 3 three", "a 4 four"]);
});

it("emits no event twice of a job that it has not seen for 10,000 others", async () => {
  const { emitted, eventOf, write, insert, untilEmitted } = await openFeed([]);
  const ids = Array.from({ length: 10_005 }, (_, index) => `job_${index}`);
  const job = `INSERT INTO ingest_jobs (id, namespace_id, status, config, created_at)
    VALUES (?, '${NAMESPACE.id}', 'FAILED', '{}', 0)`;
  write(ids.flatMap((id, index) => [{ sql: job, parameters: [id] }, eventOf(id, ids.length - index, "first")]));
  await untilEmitted(10_005);
  const oldest = emitted[0]!.split(" ")[0]!;
  insert(oldest, 10_006, "second");
  await untilEmitted(10_006);
  expect(emitted.slice(10_005)).toEqual([`${oldest} 10006 second`]);
});
