import { type Discoverer, type Discovery, type DiscoveryPayload, discoveryUrl } from "../engine/discovery.js";
import { embedderOf, vectorLocationOf } from "../engine/namespace-drivers.js";
import { removeUpload } from "../engine/remove-upload.js";
import { getErrorMessage, isAbortError, KnowledgeBaseError } from "../errors.js";
import type { RunnableDocument } from "../storage/records/documents.js";
import type { Expansion } from "../storage/records/expand-job.js";
import type { WorkerJob } from "../storage/records/job-queries.js";
import { isLeaseLost } from "../storage/records/lease.js";
import type { ClaimedTask } from "../storage/records/tasks.js";
import { isSetChanged } from "../storage/vector-sets.js";
import type { EmbeddingConfig, IngestConfig, Scope, VectorStoreConfig } from "../types.js";
import { unlimitedListeners } from "../util/unlimited-listeners.js";
import { retryDelayMs } from "./backoff.js";
import { createBatchingEmbedder } from "./batching-embedder.js";
import { DiscoveryRun } from "./discovery-run.js";
import { ingestDocument } from "./document-pipeline.js";
import type { IngestEngine } from "./ingest-engine.js";
import type { JobContext, SecondSet } from "./job-context.js";
import { repeatedWarning } from "./repeated-warning.js";
import type { TaskSlot } from "./task-slot.js";

/** How long a job runs before it yields to waiting tasks, between two documents. */
const SLICE_MS = 2000;
/** How often a running job checks whether another process has cancelled or deleted it. */
const STATUS_POLL_MS = 500;
/** How long after it was queued a job may wait for a blocked site without using up attempts. */
const MAX_DEFERRAL_MS = 24 * 60 * 60_000;

/** Why a running job stops. */
type StopReason = "closing" | "unwanted";

export interface RunOptions {
  /** The job's work slot: held at the start, released while the job waits for the network. */
  readonly slot: TaskSlot;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
}

/** Runs a claimed ingest job to its end, to the end of its time slice, or until it is stopped. */
export async function runIngestJob(engine: IngestEngine, task: ClaimedTask, options: RunOptions): Promise<void> {
  const { closing } = options;
  const run = new JobRun(engine, task, options);
  const close = () => run.stop("closing");
  closing.addEventListener("abort", close, { once: true });
  if (closing.aborted) close();
  try {
    await run.run();
  } finally {
    closing.removeEventListener("abort", close);
  }
}

class JobRun {
  readonly #engine: IngestEngine;
  readonly #task: ClaimedTask;
  readonly #slot: TaskSlot;
  readonly #closing: AbortSignal;
  readonly #backgroundWork: Promise<void>[] = [];
  readonly #abort = new AbortController();
  /** Aborted when the job must yield to other tasks. */
  readonly #pause = new AbortController();
  #stopReason: StopReason | null = null;
  /** The last retryable failure; `null` if there is none. Documents with such a failure return to the queue. */
  #retryableError: unknown = null;
  /** When and why the first failed file is retried. Attempts of files are counted separately from those of the job. */
  #nextRetry: { readonly until: number; readonly error: KnowledgeBaseError } | null = null;
  /** The error message of a source that asks for a long wait, or of a full disk. */
  #waitReason: string | null = null;
  /** The error message of the job itself, as opposed to its documents. */
  #failure: string | null = null;
  /** Whether anything was attempted; `false` if everything was deferred because a service is blocked. */
  #hasAttempted = false;
  /** Until when waiting for a blocked site doesn't use up an attempt, in milliseconds since the epoch. */
  #deferrableUntil = 0;
  readonly #startedAt: number;
  /** Whether the job holds a discovery slot, which other jobs may be waiting for. */
  #isDiscovering = false;
  #hasEnded = false;

  constructor(engine: IngestEngine, task: ClaimedTask, { slot, closing }: RunOptions) {
    this.#engine = engine;
    this.#task = task;
    this.#slot = slot;
    this.#startedAt = engine.now();
    this.#closing = closing;
    // Every document in flight adds several listeners.
    unlimitedListeners(this.#abort.signal);
  }

  stop(reason: StopReason): void {
    this.#stopReason ??= reason;
    this.#abort.abort(new DOMException("The job was stopped.", "AbortError"));
  }

  async run(): Promise<void> {
    using _stops = this.#engine.events.onJobStopped((jobId) => {
      if (jobId === this.#task.subject) void this.#checkStatus();
    });
    const statusTimer = setInterval(() => void this.#checkStatus(), STATUS_POLL_MS);
    statusTimer.unref();
    const sliceTimer = setInterval(() => void this.#endSlice(), SLICE_MS);
    sliceTimer.unref();
    try {
      await this.#end(await this.#work());
    } finally {
      this.#hasEnded = true;
      clearInterval(statusTimer);
      clearInterval(sliceTimer);
      this.#engine.events.emitJobLeft(this.#task.subject);
      await Promise.all(this.#backgroundWork);
    }
  }

  /** Returns whether all documents have been processed. */
  async #work(): Promise<boolean> {
    const job = await this.#engine.storage.jobs.getForWorker({ jobId: this.#task.subject });
    if (!job || !["QUEUED", "QUEUED_FOR_RESYNC", "PRE_PROCESSING", "PROCESSING"].includes(job.status)) return true;
    const { lease, subject: jobId } = this.#task;
    const now = () => this.#engine.now();
    if (this.#task.attempt > this.#engine.options.limits.attempts) return this.#giveUp(job);
    if (job.status.startsWith("QUEUED"))
      await this.#engine.storage.jobs.move({ lease, jobId, status: "PRE_PROCESSING", now: now() });
    const expansion = await this.#expand();
    if (!expansion) return true;
    const { hasAllDocuments, repeated, freedUploadKeys } = expansion;
    for (const key of freedUploadKeys) await removeUpload(this.#engine, key);
    if (repeated.length > 0) this.#engine.events.emit({ type: "warning", message: repeatedWarning(repeated) });
    this.#deferrableUntil = (job.queuedAt ?? 0) + MAX_DEFERRAL_MS;
    if (hasAllDocuments) await this.#markProcessing();
    const runnable = await this.#engine.storage.documents.listRunnable({ lease, jobId, resume: true, now: now() });
    this.#engine.events.emitJobChanged(jobId);
    if (hasAllDocuments && runnable.length === 0) return true;
    let context: JobContext;
    try {
      context = await this.#createContext(job);
    } catch (error) {
      if (isAbortError(error) || (KnowledgeBaseError.is(error) && error.retryable)) this.#recordRetryable(error);
      else if (hasAllDocuments) for (const document of runnable) await this.#fail(document, error);
      else this.#failure = getErrorMessage(error);
      return this.#retryableError === null;
    }
    return hasAllDocuments ? this.#ingestDocuments(context, runnable) : this.#discover(context, runnable);
  }

  /**
   * Creates the job's documents. Returns `null`, and fails the job, if they don't fit into its organization's quota, or
   * if its request is damaged.
   */
  async #expand(): Promise<Expansion | null> {
    const { lease, subject: jobId } = this.#task;
    try {
      return await this.#engine.storage.jobs.expand({ lease, jobId, now: this.#engine.now() });
    } catch (error) {
      if (!KnowledgeBaseError.is(error) || !["limit_exceeded", "not_ready"].includes(error.code)) throw error;
      this.#failure = error.message;
      return null;
    }
  }

  /** Ingests documents while they are discovered. Returns whether all have been discovered and processed. */
  async #discover(context: JobContext, first: readonly RunnableDocument[]): Promise<boolean> {
    const { lease, subject: jobId } = this.#task;
    const { storage } = this.#engine;
    const { engine, scope, signal } = context;
    const pause = this.#pause.signal;
    const row = await storage.jobs.getContent({ jobId });
    if (!row) return true;
    const payload: DiscoveryPayload = JSON.parse(row.payload);
    const config: IngestConfig = JSON.parse(row.config);
    const discovery = { engine, jobId, round: row.round, lease, scope, payload, config, signal, pause };
    const run = new DiscoveryRun((onDocumentsAdded) =>
      this.#slot.wait("source", () => this.#discoverWithSlot({ ...discovery, onDocumentsAdded })),
    );
    let isAllProcessed = true;
    try {
      for (let runnable = first; ; ) {
        if (runnable.length > 0) {
          await this.#markProcessing();
          isAllProcessed = (await this.#ingestDocuments(context, runnable)) && isAllProcessed;
        }
        if (pause.aborted || signal.aborted) break;
        // Read before the query, so that documents added just before the discovery ended are not missed.
        const { outcome } = run;
        if (outcome === null && runnable.length === 0) await run.waitForChange();
        runnable = await storage.documents.listRunnable({ lease, jobId, resume: false, now: this.#engine.now() });
        if (outcome !== null && runnable.length === 0) break;
      }
      await run.ended;
    } catch (error) {
      this.#abort.abort(error);
      await run.ended;
      throw error;
    }
    if (run.outcome === "failed") return (await this.#handleDiscoveryFailure(run.error)) && isAllProcessed;
    if (run.outcome === "paused" || signal.aborted) return false;
    await storage.jobs.endDiscovery({ lease, jobId });
    await this.#markProcessing();
    return isAllProcessed;
  }

  async #discoverWithSlot(discovery: Discovery): Promise<"done" | "paused"> {
    const { scope, payload, signal, pause } = discovery;
    const engine = this.#engine;
    const request = { organizationId: scope.organizationId, origin: new URL(discoveryUrl(payload)).origin };
    let releaseSlot: () => void;
    try {
      releaseSlot = await engine.fetching.discoveryLimiter.acquire(request, AbortSignal.any([signal, pause]));
    } catch (error) {
      if (pause.aborted && !signal.aborted) return "paused";
      throw error;
    }
    this.#isDiscovering = true;
    try {
      const discover = engine.discover[payload.type] as Discoverer<DiscoveryPayload>;
      return await discover(discovery);
    } finally {
      this.#isDiscovering = false;
      releaseSlot();
    }
  }

  /** Returns whether the failure is final, i.e. not retried. */
  async #handleDiscoveryFailure(failure: unknown): Promise<boolean> {
    if (!this.#abort.signal.aborted && (isLeaseLost(failure) || isAbortError(failure))) this.stop("unwanted");
    if (this.#abort.signal.aborted) return false;
    const error = await this.#countAttempt(failure);
    if (KnowledgeBaseError.is(error) && error.retryable) {
      this.#recordRetryable(error);
      if (error.deferred) this.#waitReason = error.message;
      this.#hasAttempted ||= this.#engine.now() > this.#deferrableUntil;
      return false;
    }
    this.#failure = getErrorMessage(error);
    return true;
  }

  /**
   * Counts a failed attempt to reach a site that has never sent a document: such a site gets only as many attempts as a
   * file. Returns the error to report.
   */
  async #countAttempt(error: unknown): Promise<unknown> {
    if (!KnowledgeBaseError.is(error) || error.deferred) return error;
    const { storage, fetching } = this.#engine;
    const { subject: jobId } = this.#task;
    if (await storage.jobs.hasDocuments({ jobId })) return error;
    return fetching.fetchRetries.recordFailure(jobId, error, { startedAt: this.#startedAt, now: this.#engine.now() });
  }

  async #markProcessing(): Promise<void> {
    const { lease, subject: jobId } = this.#task;
    await this.#engine.storage.jobs.move({ lease, jobId, status: "PROCESSING", now: this.#engine.now() });
  }

  /**
   * Ingests documents concurrently. They start in groups, so that the first steps of a group (status changes, parsing,
   * token counts) share messages and commits. Returns whether no document is left.
   */
  async #ingestDocuments(context: JobContext, documents: readonly RunnableDocument[]): Promise<boolean> {
    const { worker } = this.#engine.options;
    const limit = worker ? worker.documents : 1;
    const groupSize = Math.ceil(limit / 4);
    const running = new Set<Promise<void>>();
    let next = 0;
    let retryCount = 0;
    const hasNext = () => next < documents.length && !this.#pause.signal.aborted && !this.#abort.signal.aborted;
    const run = async (document: RunnableDocument) => {
      if (!(await this.#ingestDocument(context, document))) retryCount++;
    };
    const begin = (document: RunnableDocument) => {
      const ended = run(document).finally(() => running.delete(ended));
      running.add(ended);
    };
    try {
      while (hasNext() || running.size > 0) {
        if (running.size <= limit - groupSize) while (hasNext() && running.size < limit) begin(documents[next++]!);
        await Promise.race(running);
      }
    } catch (error) {
      // The task returns to the queue, so none of its work may continue here.
      this.#abort.abort(error);
      await Promise.allSettled(running);
      throw error;
    }
    return retryCount === 0 && next === documents.length;
  }

  /** Pauses the job if a task waits. Otherwise continues, because a restart would only leave the embedder idle. */
  async #endSlice(): Promise<void> {
    try {
      const isWanted =
        this.#slot.isWanted || (this.#isDiscovering && this.#engine.fetching.discoveryLimiter.hasWaiting);
      if (isWanted || (await this.#hasWaitingTask())) this.#pause.abort();
    } catch (error) {
      // The next check may succeed.
      if (!this.#hasEnded) this.#engine.events.emit({ type: "error", error });
    }
  }

  /** Returns whether a task is due that could be claimed if this job yielded. */
  async #hasWaitingTask(): Promise<boolean> {
    const { unclaimable, hasRoomForDelivery } = this.#slot;
    if (unclaimable === null) return false;
    return this.#engine.storage.tasks.hasDue({
      now: this.#engine.now(),
      fullOrganizations: unclaimable,
      withoutDeliveries: !hasRoomForDelivery,
    });
  }

  /** Returns false if the document must be ingested again later. */
  async #ingestDocument(context: JobContext, document: RunnableDocument): Promise<boolean> {
    if (this.#checkDelay(document)) return false;
    try {
      await ingestDocument(context, document);
      return true;
    } catch (error) {
      if (isLeaseLost(error)) {
        this.stop("unwanted");
        return false;
      }
      if (this.#abort.signal.aborted) return false;
      if (isSetChanged(error)) {
        // The next claim reads the models again. The remaining documents would fail the same way.
        this.#pause.abort();
        return false;
      }
      if (KnowledgeBaseError.is(error) && error.retryable) {
        if (!this.#checkDelay(document)) this.#recordRetryable(error);
        return false;
      }
      await this.#fail(document, error);
      return true;
    } finally {
      this.#engine.events.emitJobChanged(this.#task.subject);
    }
  }

  /** Returns whether the file must be retried later, and records the earliest such time, at which the job resumes. */
  #checkDelay({ id }: RunnableDocument): boolean {
    const now = this.#engine.now();
    const error = this.#engine.fetching.fetchRetries.retryLaterError(id, now);
    if (error === null) return false;
    const until = now + error.retryAfterMs!;
    if (this.#nextRetry === null || until < this.#nextRetry.until) this.#nextRetry = { until, error };
    return true;
  }

  #recordRetryable(error: unknown): void {
    this.#retryableError = error;
    if (KnowledgeBaseError.is(error, "storage_full")) this.#waitReason = error.message;
    this.#hasAttempted ||= !(KnowledgeBaseError.is(error) && (error.deferred || error.code === "storage_full"));
  }

  async #fail(document: RunnableDocument, error: unknown): Promise<void> {
    const { lease } = this.#task;
    const now = this.#engine.now();
    await this.#engine.storage.documents.fail({ lease, seq: document.seq, error: getErrorMessage(error), now });
  }

  async #giveUp(job: WorkerJob): Promise<boolean> {
    const { lease, subject: jobId, attempt } = this.#task;
    const now = this.#engine.now();
    const runnable = await this.#engine.storage.documents.listRunnable({ lease, jobId, resume: true, now });
    const cause = (await this.#engine.storage.tasks.getLastError(lease)) ?? "the process ended each time";
    const error = new Error(`Gave up after ${attempt - 1} attempts: ${cause}`);
    for (const document of runnable) await this.#fail(document, error);
    // The job failed before it created all its documents.
    if (!job.documentsKnown) this.#failure = error.message;
    return true;
  }

  /** Ends the claim: finishes the job or returns its task to the queue. */
  async #end(isFinished: boolean): Promise<void> {
    const { lease, subject: jobId, organizationId, attempt } = this.#task;
    const { storage, options } = this.#engine;
    const now = this.#engine.now();
    try {
      if (isFinished || this.#stopReason === "unwanted") {
        const queueFields = { organizationId, capacity: options.limits.activeJobs, now };
        await storage.jobs.finish({ lease, jobId, failure: this.#failure, ...queueFields });
        this.#engine.events.emitWorkAdded();
      } else if (this.#retryableError !== null && this.#stopReason === null) {
        const delayMs = retryDelayMs(attempt, Math.random(), this.#retryableError);
        await storage.tasks.release({
          lease,
          now,
          delayMs,
          error: getErrorMessage(this.#retryableError),
          countsAsAttempt: this.#hasAttempted,
        });
        this.#warnAboutWait(now + delayMs);
      } else if (this.#nextRetry !== null && this.#stopReason === null && !this.#pause.signal.aborted) {
        const { until, error } = this.#nextRetry;
        // Files that failed together are due within a few seconds. One run retries all files due in the same second.
        const delayMs = Math.max(0, Math.ceil(until / 1000) * 1000 - now);
        const release = { lease, now, delayMs, error: getErrorMessage(error) };
        await storage.tasks.release({ ...release, countsAsAttempt: false });
      } else {
        await storage.tasks.release({ lease, now, delayMs: 0, error: null, countsAsAttempt: false });
        this.#engine.events.emitWorkAdded();
      }
    } catch (error) {
      // Another worker has claimed the task and finishes it.
      if (!isLeaseLost(error)) throw error;
    }
  }

  /** Emits a warning about a long wait or a full disk. Otherwise the job would seem to hang. */
  #warnAboutWait(until: number): void {
    if (this.#waitReason === null) return;
    const message = `${this.#waitReason} ${this.#task.subject} waits and resumes at ${new Date(until).toISOString()}.`;
    this.#engine.events.emit({ type: "warning", message });
  }

  async #checkStatus(): Promise<void> {
    if (this.#hasEnded) return;
    try {
      if (!(await this.#engine.storage.jobs.isWanted({ jobId: this.#task.subject }))) this.stop("unwanted");
    } catch (error) {
      // The next check may succeed, and every write checks the lease anyway.
      if (!this.#hasEnded) this.#engine.events.emit({ type: "error", error });
    }
  }

  /**
   * Opens the other model of a namespace that is embedded again, and its vector store; `null` if there is none, one
   * can't be opened, or an error has stopped the re-embedding.
   */
  async #openSecondSet(scope: Scope, signal: AbortSignal): Promise<SecondSet | null> {
    const { namespaceId } = scope;
    const reembedding = await this.#engine.storage.reembeddings.getForWorker({ namespaceId });
    if (!reembedding || reembedding.state === "discarding" || reembedding.error !== null) return null;
    try {
      const [embedder, vectors] = await Promise.all([
        embedderOf(this.#engine, scope, reembedding),
        vectorLocationOf(this.#engine, scope, reembedding),
      ]);
      const { vectorSet } = reembedding;
      return { embedder: createBatchingEmbedder(embedder, { signal }), vectors, vectorSet, isGivenUp: false };
    } catch (error) {
      // Its vectors are written before the next cut-over.
      this.#engine.events.emit({ type: "error", error });
      return null;
    }
  }

  async #createContext(job: WorkerJob): Promise<JobContext> {
    const { lease, subject: jobId, organizationId } = this.#task;
    const { signal } = this.#abort;
    const scope = { organizationId, namespaceId: job.namespaceId, tenantId: job.tenantId };
    const { vectorSet } = job;
    const embeddingConfig: EmbeddingConfig = JSON.parse(job.embeddingConfig);
    const vectorStoreConfig: VectorStoreConfig = JSON.parse(job.vectorStoreConfig);
    const [embedder, vectors] = await Promise.all([
      embedderOf(this.#engine, scope, { embeddingConfig, vectorSet }),
      vectorLocationOf(this.#engine, scope, { vectorStoreConfig, vectorSet }),
    ]);
    return {
      engine: this.#engine,
      jobId,
      lease,
      scope,
      embedder: createBatchingEmbedder(embedder, { signal }),
      vectors,
      vectorSet,
      secondSet: await this.#openSecondSet(scope, signal),
      signal,
      slot: this.#slot,
      closing: this.#closing,
      waitUntil: (work) => void this.#backgroundWork.push(work),
    };
  }
}
