import { Gauge, type Registry } from "prom-client";
import type { Engine } from "../../engine/engine.js";
import type { TaskKind } from "../../storage/records/row-types.js";
import type { QueueSummary } from "../../storage/records/tasks.js";
import type { Storage, StorageMeasures } from "../../storage/storage.js";
import { STATUSES, type Status } from "../../types.js";
import { TimedReading } from "./timed-reading.js";

const TABLES = ["ingest_jobs", "documents"] as const;
type Table = (typeof TABLES)[number];
/** Sequence numbers of one step of a count, which takes some milliseconds. Searches run between the steps. */
const COUNT_SPAN = 2000;

const TASK_KINDS = {
  ingest: true,
  delete_document: true,
  delete_job: true,
  delete_namespace: true,
  purge: true,
  remove_vectors: true,
  reembed: true,
  deliver_webhooks: true,
} satisfies Record<TaskKind, true>;
const TASK_STATES = ["ready", "running"] as const;

interface QueueReading {
  readonly queue: QueueSummary;
  readonly measures: StorageMeasures;
}

/** Gauges of what is stored. They are the same in all processes of a database, except for the memory. */
export class DatabaseMetrics {
  readonly #now: () => number;
  readonly #gauges: ReturnType<typeof createGauges>;
  readonly #queue: TimedReading<QueueReading>;
  readonly #statuses: TimedReading<ReadonlyMap<Table, ReadonlyMap<Status, number>>>;

  constructor({ storage, events, now }: Pick<Engine, "storage" | "events" | "now">, registry: Registry) {
    const onError = (error: unknown) => events.emit({ type: "error", error });
    this.#now = now;
    this.#gauges = createGauges(registry);
    this.#queue = new TimedReading(
      async () => {
        const [queue, measures] = await Promise.all([storage.tasks.summarize({ now: now() }), storage.measure()]);
        return { queue, measures };
      },
      { waitMs: 1000, intervalMs: 0, intervalFactor: 0, whileReading: "nothing" },
      onError,
    );
    // Counts scan tables: a twentieth of the time at most.
    this.#statuses = new TimedReading(
      () => countAll(storage),
      { waitMs: 1000, intervalMs: 5000, intervalFactor: 20, whileReading: "last" },
      onError,
    );
  }

  /** Updates the gauges. What can't be read in a second is left out, or for counts by status of the last reading. */
  async update(): Promise<void> {
    const [reading, statuses] = await Promise.all([this.#queue.get(), this.#statuses.get()]);
    const { up, jobs, documents } = this.#gauges;
    up.set(reading ? 1 : 0);
    this.#setQueue(reading?.queue ?? null);
    this.#setMeasures(reading?.measures ?? null);
    setStatuses(jobs, statuses?.get("ingest_jobs") ?? null);
    setStatuses(documents, statuses?.get("documents") ?? null);
  }

  #setQueue(queue: QueueSummary | null): void {
    const { tasks, oldestTask } = this.#gauges;
    tasks.reset();
    setOrRemove(oldestTask, queue && (queue.dueSince === null ? 0 : Math.max(0, this.#now() - queue.dueSince) / 1000));
    if (!queue) return;
    for (const kind of Object.keys(TASK_KINDS)) for (const state of TASK_STATES) tasks.set({ kind, state }, 0);
    for (const { kind, state, tasks: count } of queue.counts) tasks.set({ kind, state }, count);
  }

  #setMeasures(measures: StorageMeasures | null): void {
    setOrRemove(this.#gauges.wal, measures?.walBytes ?? null);
    setOrRemove(this.#gauges.database, measures?.databaseBytes ?? null);
    setOrRemove(this.#gauges.scanMemory, measures?.scanMemoryBytes ?? null);
  }
}

function createGauges(registry: Registry) {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    up: gauge("lorebase_database_up", "1 if the database has answered within a second, 0 if not."),
    tasks: gauge("lorebase_tasks", "Tasks in the queue by kind and state.", ["kind", "state"]),
    oldestTask: gauge(
      "lorebase_oldest_ready_task_age_seconds",
      "How long the oldest task that no worker has claimed has been due; 0 if none is.",
    ),
    jobs: gauge("lorebase_jobs", "Ingest jobs by status.", ["status"]),
    documents: gauge("lorebase_documents", "Documents by status.", ["status"]),
    wal: gauge("lorebase_wal_bytes", "Size of SQLite's write-ahead log."),
    database: gauge("lorebase_database_bytes", "Size of SQLite's database file, without the log."),
    scanMemory: gauge("lorebase_scan_memory_bytes", "Memory of this process's search indexes for vectors."),
  };
}

/** Sets a gauge, or leaves it out if its value is unknown. */
function setOrRemove(gauge: Gauge<never>, value: number | null): void {
  if (value === null) gauge.remove();
  else gauge.set(value);
}

function setStatuses(gauge: Gauge<"status">, counts: ReadonlyMap<Status, number> | null): void {
  gauge.reset();
  if (!counts) return;
  for (const status of STATUSES) gauge.set({ status }, counts.get(status) ?? 0);
}

async function countAll(storage: Storage): Promise<ReadonlyMap<Table, ReadonlyMap<Status, number>>> {
  const counts = new Map<Table, ReadonlyMap<Status, number>>();
  for (const table of TABLES) counts.set(table, await countTable(storage, table));
  return counts;
}

async function countTable(storage: Storage, table: Table): Promise<ReadonlyMap<Status, number>> {
  const totals = new Map<Status, number>();
  for (let after: number | null = 0; after !== null; ) {
    const { counts, next } = await storage.contents.countStatuses({ table, after, span: COUNT_SPAN });
    for (const { status, rows } of counts) totals.set(status, (totals.get(status) ?? 0) + rows);
    after = next;
  }
  return totals;
}
