import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openPostgres } from "#dist/storage/postgres/open-postgres.js";
import { postgresStorage } from "#dist/storage/postgres/postgres-storage.js";
import type { Storage } from "../../src/storage/storage.js";
import { openTestDatabase } from "../support/postgres.js";
import { scriptArguments } from "../support/script-arguments.js";
import { NAMESPACE, newJob, ORGANIZATION } from "../support/stored-documents.js";

const CHILD = scriptArguments(fileURLToPath(new URL("./postgres-child.ts", import.meta.url)));
const DIST = new URL("../../dist/", import.meta.url).href;
const SMALL_ORGANIZATIONS = 10;

export interface PostgresCampaign {
  readonly tasks: number;
  readonly processes: number;
  /** How many processes are killed and replaced, one after the other. */
  readonly kills: number;
  /** How many processes are suspended for longer than their leases. */
  readonly stops: number;
  readonly leaseMs: number;
}

export interface PostgresCampaignOutcome {
  /** Jobs that didn't end, or not once, and events that the reader missed or had in another order. */
  readonly faults: readonly string[];
  readonly tasksPerSecond: number;
  /** The share of all tasks that had ended when the last one of a small organization did. */
  readonly smallDoneAt: number;
  /** Events that a reader found while they were written. */
  readonly events: number;
  readonly kills: number;
  readonly stops: number;
}

/**
 * Several processes run tasks of eleven organizations, of which one has nine tenths, and are killed or suspended at
 * random. Each run of a task leaves its fence, by which writes under an old fence are found.
 */
export async function postgresCampaign(campaign: PostgresCampaign): Promise<PostgresCampaignOutcome | null> {
  const database = await openTestDatabase();
  if (!database) return null;
  try {
    const storage = postgresStorage(await openPostgres(database.url), { memoryBytes: 0 });
    await addTasks(storage, campaign.tasks);
    await database.query("CREATE TABLE fences (task bigint, number bigint, fence bigint, PRIMARY KEY (task, number))");
    const startedAt = performance.now();
    const reader = readEvents(storage);
    const happened = await runProcesses(database.url, campaign);
    const seconds = (performance.now() - startedAt) / 1000;
    const found = await reader.end();
    await storage.close();
    const jobs = await database.query<{ id: string; status: string; events: string; place: number; small: boolean }>(
      `SELECT j.id, j.status, string_agg(e.data::json ->> 'status', ' ' ORDER BY e.seq) AS events,
         percent_rank() OVER (ORDER BY max(e.seq)) AS place, j.namespace_id <> 'ns' AS small
       FROM ingest_jobs j JOIN events e ON e.ingest_job_id = j.id GROUP BY j.seq, j.id, j.status, j.namespace_id`,
    );
    const [left] = await database.query<{ tasks: number }>("SELECT count(*) AS tasks FROM tasks");
    const stale = await database.query<{ task: number }>(
      `SELECT task FROM (SELECT task, fence < lag(fence) OVER (PARTITION BY task ORDER BY number) AS stale FROM fences) f
       WHERE stale`,
    );
    const good = /^QUEUED PRE_PROCESSING PROCESSING COMPLETED$/;
    return {
      faults: [
        ...jobs.filter(({ events }) => !good.test(events)).map(({ id, events }) => `${id}: ${events}`),
        ...(jobs.length === campaign.tasks ? [] : [`${jobs.length} of ${campaign.tasks} jobs`]),
        ...stale.map(({ task }) => `task ${task}: a write under an old fence`),
        ...(left!.tasks === 0 ? [] : [`${left!.tasks} tasks are left`]),
        ...jobs
          .filter(({ id, events }) => found.get(id)?.join(" ") !== events)
          .map(({ id }) => `${id}: read ${found.get(id)}`),
      ],
      tasksPerSecond: Math.round(campaign.tasks / seconds),
      smallDoneAt: Math.max(...jobs.filter(({ small }) => small).map(({ place }) => place)),
      events: [...found.values()].reduce((sum, statuses) => sum + statuses.length, 0),
      ...happened,
    };
  } finally {
    await database.drop();
  }
}

async function addTasks(storage: Storage, tasks: number): Promise<void> {
  const owners = ["ns", ...Array.from({ length: SMALL_ORGANIZATIONS }, (_, index) => `ns_${index}`)];
  for (const id of owners) {
    await storage.organizations.create({ ...ORGANIZATION, id: `org_${id}` });
    await storage.namespaces.create({
      namespace: { ...NAMESPACE, id, organizationId: `org_${id}` },
      sealed: [],
    } as never);
  }
  await Promise.all(
    Array.from({ length: tasks }, (_, index) => {
      const id = index % 10 === 0 ? owners[1 + ((index / 10) % SMALL_ORGANIZATIONS)]! : "ns";
      const job = { ...newJob(`job_${index}`), namespaceId: id, organizationId: `org_${id}`, capacity: tasks };
      return storage.jobs.create(job);
    }),
  );
}

/** Reads the events of all jobs as the feed does, while others write them. Returns each job's statuses in their order. */
function readEvents({ events }: Storage): { end(): Promise<ReadonlyMap<string, readonly string[]>> } {
  const found = new Map<string, string[]>();
  const lastSeqs = new Map<string, number>();
  let position: { readonly after: number; readonly watched: readonly string[] } = { after: 0, watched: [] };
  let isEnding = false;
  const readOnce = async () => {
    const { lastSeq, jobs, active } = await events.findChangedJobs(position);
    position = { after: lastSeq, watched: active };
    for (const { jobId, lastSeq: last } of jobs) {
      const after = lastSeqs.get(jobId) ?? 0;
      if (last === after) continue;
      const progress = await events.getJobProgress({ jobId, after });
      const statuses = progress.events.map(({ event }) => ("status" in event ? event.status : event.type));
      found.set(jobId, [...(found.get(jobId) ?? []), ...statuses]);
      lastSeqs.set(jobId, progress.events.at(-1)?.seq ?? after);
    }
  };
  const reading = (async () => {
    while (!isEnding) {
      await readOnce();
      await sleep(50);
    }
    await readOnce();
  })();
  return {
    async end() {
      isEnding = true;
      await reading;
      return found;
    },
  };
}

/** Runs processes until no task is left, and kills or suspends some on the way. Returns how many. */
async function runProcesses(url: string, { processes, kills, stops, leaseMs }: PostgresCampaign) {
  const happened = { kills: 0, stops: 0 };
  let started = 0;
  const start = () => spawnChild(url, `process_${started++}`, leaseMs);
  const running = Array.from({ length: processes }, start);
  for (let fault = 0; fault < kills + stops; fault++) {
    await sleep(300 + Math.random() * 700);
    const index = fault % processes;
    const child = running[index]!;
    if (child.exitCode !== null) break;
    if (Math.random() < kills / (kills + stops)) {
      child.kill("SIGKILL");
      happened.kills++;
      running[index] = start();
    } else {
      child.kill("SIGSTOP");
      await sleep(leaseMs * (1.2 + Math.random()));
      child.kill("SIGCONT");
      happened.stops++;
    }
  }
  await Promise.all(running.map(ended));
  return happened;
}

function spawnChild(url: string, owner: string, leaseMs: number): ChildProcess {
  const parameters = [DIST, url, owner, String(leaseMs)];
  return spawn(process.execPath, [...CHILD, ...parameters], { stdio: ["ignore", "ignore", "inherit"] });
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`A worker process ended with ${code ?? signal}`)),
    );
  });
}
