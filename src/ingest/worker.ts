import type { Engine } from "../engine/engine.js";
import { sweepUploads } from "../engine/sweep-uploads.js";
import { getErrorMessage, isAbortError, KnowledgeBaseError } from "../errors.js";
import { isLeaseLost, type Lease } from "../storage/records/lease.js";
import type { ClaimedTask, RegisteredProcess } from "../storage/records/tasks.js";
import { failSpan, traced } from "../telemetry/traced.js";
import type { CallOptions } from "../types.js";
import { unlimitedListeners } from "../util/unlimited-listeners.js";
import type { Span } from "../vendor/opentelemetry.js";
import { retryDelayMs } from "./backoff.js";
import { runDeleteDocument, runDeleteJob, runDeleteNamespace, runPurge, runRemoveVectors } from "./delete-tasks.js";
import type { IngestEngine } from "./ingest-engine.js";
import { currentProcess, findDeadProcesses } from "./process-registry.js";
import { prune } from "./prune.js";
import { TaskSlot } from "./task-slot.js";
import { WorkSlots } from "./work-slots.js";

const HEARTBEAT_MS = 15_000;
/** Short enough that another process takes up a dead worker's task within a minute: it looks with each heartbeat. */
const LEASE_MS = 40_000;
/** How often an idle worker polls for tasks of other processes, should it miss a signal, and for due retries. */
const POLL_MS = 500;
/** How often a removal that must wait for an ingest checks whether the ingest has ended. */
const REMOVAL_WAIT_MS = 2000;
const SWEEP_MS = 10 * 60_000;
/** A process without a heartbeat for this long counts as dead. */
const DEAD_AFTER_MS = 10 * 60_000;

const REMOVALS: Readonly<
  Record<
    Exclude<ClaimedTask["kind"], "ingest" | "deliver_webhooks" | "reembed">,
    (engine: Engine, task: ClaimedTask, signal: AbortSignal) => Promise<boolean>
  >
> = {
  delete_document: runDeleteDocument,
  delete_job: runDeleteJob,
  delete_namespace: runDeleteNamespace,
  purge: runPurge,
  remove_vectors: runRemoveVectors,
};

/**
 * Claims tasks from the durable queue until it is stopped. A few tasks work at a time; tasks that wait for the network
 * are counted separately, so that one caller's slow sources don't delay other callers.
 */
export class IngestWorker {
  readonly #engine: IngestEngine;
  readonly #process: RegisteredProcess = currentProcess();
  /** The tasks that run, with the leases to extend. */
  readonly #running = new Map<Promise<void>, Lease>();
  readonly #slots: WorkSlots;
  /** Whether the next free slot goes to the queue instead of to a task that has waited. Alternates between the two. */
  #isQueueTurn = true;
  readonly #closing = new AbortController();
  #timers: NodeJS.Timeout[] = [];
  #claiming: Promise<void> | null = null;
  /** Whether a claim was requested during another claim, which may have missed new work or a free slot. */
  #mustClaimAgain = false;
  #workAddedSubscription: Disposable | null = null;
  /** Of tasks that other processes have added. */
  #signals: Disposable | null = null;
  #changeListeners: (() => void)[] = [];
  #drainCount = 0;
  #maintaining: Promise<void> | null = null;
  /** Failed tasks that could not be returned to the queue, for example because the disk is full. */
  readonly #unreleased: Parameters<IngestEngine["storage"]["tasks"]["release"]>[0][] = [];

  constructor(engine: IngestEngine) {
    this.#engine = engine;
    const { worker } = engine.options;
    this.#slots = new WorkSlots(worker ? worker.concurrency : 1, () => this.#claim());
    // Every running task adds a listener.
    unlimitedListeners(this.#closing.signal);
  }

  /** Starts the heartbeat, releases the tasks of dead processes, and starts to claim tasks. */
  async start(): Promise<void> {
    await this.#heartbeat().catch((error: unknown) => {
      // Searches and deletions work without it.
      if (!KnowledgeBaseError.is(error, "storage_full")) throw error;
      this.#engine.events.emit({ type: "error", error });
    });
    this.#workAddedSubscription = this.#engine.events.onWorkAdded(() => this.#claim());
    this.#signals = this.#engine.storage.workSignals?.listen(() => this.#claim()) ?? null;
    this.#timers = [
      setInterval(() => this.#claim(), POLL_MS),
      setInterval(() => void this.#runInBackground(this.#heartbeat()), HEARTBEAT_MS),
      setInterval(() => void this.#runInBackground(this.#maintainIndex()), HEARTBEAT_MS),
      setInterval(() => void this.#runInBackground(this.#sweep()), SWEEP_MS),
    ];
    for (const timer of this.#timers) timer.unref();
    this.#claim();
    void this.#runInBackground(this.#maintainIndex());
    void this.#runInBackground(sweepDownloads(this.#engine, this.#process.id));
  }

  async #sweep(): Promise<void> {
    await sweepUploads(this.#engine);
    await prune(this.#engine, this.#closing.signal);
    await sweepDownloads(this.#engine, this.#process.id);
  }

  /** Maintains the search index step by step, so that other writes can run between the steps. */
  #maintainIndex(): Promise<void> {
    const { index } = this.#engine.storage;
    const maintain = async () => {
      while (!this.#closing.signal.aborted && ((await index.maintain()) || (await this.#hashStoredRows())));
    };
    this.#maintaining ??= maintain().finally(() => {
      this.#maintaining = null;
    });
    return this.#maintaining;
  }

  /** Computes some hashes of rows of an earlier version. A process that only drains the queue doesn't wait for that. */
  async #hashStoredRows(): Promise<boolean> {
    return this.#timers.length > 0 && (await this.#engine.storage.content.hash());
  }

  /** Waits until the queue is empty, including retries and other processes' tasks. */
  async drain(options: CallOptions = {}): Promise<void> {
    // Without a running worker, this process sends heartbeats and releases the tasks of dead processes only during
    // the drain.
    if (this.#timers.length > 0) return this.#drain(options);
    await this.#heartbeat();
    void this.#runInBackground(sweepDownloads(this.#engine, this.#process.id));
    const heartbeatTimer = setInterval(() => void this.#runInBackground(this.#heartbeat()), HEARTBEAT_MS);
    heartbeatTimer.unref();
    this.#drainCount++;
    try {
      await this.#drain(options);
      await this.#runInBackground(this.#maintainIndex());
    } finally {
      this.#drainCount--;
      // Tasks that an aborted drain has started run to their end and need heartbeats until then.
      const claimed = Promise.resolve(this.#claiming).catch(() => {});
      void claimed.then(() => Promise.all(this.#running.keys())).then(() => clearInterval(heartbeatTimer));
    }
  }

  async #drain(options: CallOptions): Promise<void> {
    while (true) {
      options.signal?.throwIfAborted();
      if (this.#closing.signal.aborted) throw new KnowledgeBaseError("closed", "The knowledge base is closed.");
      this.#claim();
      await this.#claiming;
      const taskCount = await this.#engine.storage.tasks.count();
      if (taskCount === 0 && this.#running.size === 0) return;
      await this.#waitForChange(options.signal);
    }
  }

  /** Stops claiming, lets running tasks reach a safe point, and releases the tasks that are not finished. */
  async stop(): Promise<void> {
    this.#closing.abort();
    this.#workAddedSubscription?.[Symbol.dispose]();
    this.#signals?.[Symbol.dispose]();
    for (const timer of this.#timers) clearInterval(timer);
    // A failed claim has already been reported.
    await this.#claiming?.catch(() => {});
    await Promise.all(this.#running.keys());
    await this.#maintaining?.catch(() => {});
    // Otherwise the first search of the next process would do the maintenance for the last job's vectors.
    if (this.#timers.length > 0) await this.#runInBackground(this.#engine.storage.index.maintain());
    await this.#engine.fetching.downloads.removeAll(this.#process.id);
    await this.#engine.storage.processes.forget({ id: this.#process.id });
  }

  /** Whether tasks may be claimed. Without a running worker, this process claims tasks only during a drain. */
  get #mayClaim(): boolean {
    return !this.#closing.signal.aborted && (this.#timers.length > 0 || this.#drainCount > 0);
  }

  /** Starts to fill the free slots, one claim at a time. */
  #claim(): void {
    this.#mustClaimAgain = this.#claiming !== null;
    if (this.#claiming) return;
    this.#claiming = this.#fill().finally(() => {
      this.#claiming = null;
      if (this.#mustClaimAgain) this.#claim();
    });
    void this.#runInBackground(this.#claiming);
  }

  async #fill(): Promise<void> {
    while (true) {
      const isQueueTurn = this.#isQueueTurn;
      this.#isQueueTurn = !isQueueTurn;
      if (!isQueueTurn && this.#slots.grantNext()) continue;
      if (this.#mayClaim && this.#slots.hasRoom && (await this.#claimNext())) continue;
      if (!this.#slots.grantNext()) return;
    }
  }

  /** Returns false if no task is due. */
  async #claimNext(): Promise<boolean> {
    this.#slots.reserve();
    const task = await this.#claimTask();
    if (!task) return false;
    const slot = new TaskSlot(this.#slots, task.organizationId);
    const running: Promise<void> = this.#runTraced(task, slot).finally(() => {
      this.#running.delete(running);
      for (const resume of this.#changeListeners.splice(0)) resume();
      slot.end();
    });
    this.#running.set(running, task.lease);
    return true;
  }

  async #claimTask(): Promise<ClaimedTask | null> {
    let task: ClaimedTask | null = null;
    try {
      await this.#releaseAgain();
      task = await this.#engine.storage.tasks.claim({
        owner: this.#process.id,
        now: this.#engine.now(),
        leaseMs: LEASE_MS,
        fullOrganizations: this.#slots.fullOrganizations(),
        withoutDeliveries: !this.#slots.hasRoomForDelivery,
      });
      return task;
    } finally {
      if (!task) this.#slots.cancelReservation();
    }
  }

  /** Runs a task in a trace of its own: the claim may have been caused by any request that added work. */
  #runTraced(task: ClaimedTask, slot: TaskSlot): Promise<void> {
    const { kind, attempt, subject } = task;
    const attributes = {
      "lorebase.task.attempt": attempt,
      ...(kind === "ingest" && { "lorebase.job.id": subject }),
    };
    return traced(`lorebase.task.${kind}`, attributes, (span) => this.#run(task, slot, span), { root: true });
  }

  async #run(task: ClaimedTask, slot: TaskSlot, span: Span): Promise<void> {
    try {
      if (task.kind === "ingest") {
        // Imported on first use, so that processes that only search never load the ingest code, a third of the engine.
        const { runIngestJob } = await import("./job-runner.js");
        await runIngestJob(this.#engine, task, { slot, closing: this.#closing.signal });
        void this.#runInBackground(this.#maintainIndex());
        return;
      }
      if (task.kind === "deliver_webhooks") {
        const { deliverWebhook } = await import("../webhooks/deliver.js");
        await slot.wait("receiver", () => deliverWebhook(this.#engine, task, this.#closing.signal));
        return;
      }
      if (task.kind === "reembed") {
        const { runReembedding } = await import("./reembed.js");
        await runReembedding(this.#engine, task, { slot, closing: this.#closing.signal });
        return;
      }
      const { lease } = task;
      if (await REMOVALS[task.kind](this.#engine, task, this.#closing.signal)) {
        await this.#engine.storage.tasks.complete({ lease });
      } else {
        const wait = { now: this.#engine.now(), delayMs: REMOVAL_WAIT_MS };
        await this.#engine.storage.tasks.release({ lease, ...wait, error: null, countsAsAttempt: false });
      }
    } catch (error) {
      failSpan(span, error);
      if (!isLeaseLost(error)) await this.#releaseFailed(task, error);
    }
  }

  /** Releases a failed task for a retry. A removal is retried without limit, until the store is reachable again. */
  async #releaseFailed(task: ClaimedTask, error: unknown): Promise<void> {
    const isStopped = this.#closing.signal.aborted && isAbortError(error);
    if (!isStopped) this.#engine.events.emit({ type: "error", error });
    if (KnowledgeBaseError.is(error, "storage_full")) {
      const message = `${error.message} ${task.subject} waits for space.`;
      this.#engine.events.emit({ type: "warning", message });
    }
    const now = this.#engine.now();
    const release = {
      lease: task.lease,
      now,
      delayMs: isStopped ? 0 : retryDelayMs(task.attempt, Math.random(), error),
      error: getErrorMessage(error),
      countsAsAttempt: !isStopped && !KnowledgeBaseError.is(error, "storage_full"),
    };
    try {
      await this.#engine.storage.tasks.release(release);
    } catch (failure) {
      // Another worker has claimed the task and finishes it.
      if (isLeaseLost(failure)) return;
      this.#unreleased.push(release);
      this.#engine.events.emit({ type: "error", error: failure });
    }
  }

  /** Releases the tasks that could not be released. Otherwise the heartbeat would extend their leases for ever. */
  async #releaseAgain(): Promise<void> {
    while (this.#unreleased.length > 0) {
      const [release] = this.#unreleased;
      try {
        await this.#engine.storage.tasks.release({ ...release!, now: this.#engine.now() });
      } catch (error) {
        // A failure other than a lost lease has been reported, and is tried again with the next claim.
        if (!isLeaseLost(error)) return;
      }
      this.#unreleased.shift();
    }
  }

  async #heartbeat(): Promise<void> {
    const now = this.#engine.now();
    const { storage } = this.#engine;
    const running = [...this.#running.values()];
    await storage.processes.recordHeartbeat({ process: this.#process, running, now, leaseMs: LEASE_MS });
    const dead = await findDeadProcesses(storage, this.#process);
    if ((await storage.tasks.reclaim({ deadProcesses: dead, now, leaseMs: LEASE_MS })) > 0) this.#claim();
    await storage.webhooks.wakeStalled({ now });
  }

  /** Waits until a task ends, work is added, or the next poll is due. */
  #waitForChange(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        subscription[Symbol.dispose]();
        signal?.removeEventListener("abort", resume);
        resolve();
      };
      const timer = setTimeout(resume, POLL_MS);
      const subscription = this.#engine.events.onWorkAdded(resume);
      signal?.addEventListener("abort", resume, { once: true });
      this.#changeListeners.push(resume);
    });
  }

  /** Awaits work whose failure no caller can see, and emits the failure as an event. */
  async #runInBackground(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#engine.events.emit({ type: "error", error });
    }
  }
}

/** Removes the downloaded files of dead processes. */
async function sweepDownloads({ storage, fetching, now }: IngestEngine, processId: string): Promise<void> {
  // Folders are listed first, because a process is in the database before it fetches anything.
  const listed = await fetching.downloads.processIds();
  if (listed.length === 0) return;
  const alive = await storage.processes.list({ since: now() - DEAD_AFTER_MS });
  const ids = new Set([processId, ...alive.map(({ id }) => id)]);
  for (const id of listed) if (!ids.has(id)) await fetching.downloads.removeAll(id);
}
