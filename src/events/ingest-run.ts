import { setTimeout as sleep } from "node:timers/promises";
import { KnowledgeBaseError } from "../errors.js";
import type { JobEvent } from "../storage/records/events.js";
import { UNFINISHED_STATUSES } from "../storage/records/status-table.js";
import type { Storage } from "../storage/storage.js";
import type { CallOptions, IngestJob } from "../types.js";
import { doneSchema, followSchema } from "../validation/ingest-job-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { toCrawlCounts } from "./crawl-counts.js";
import type { EventBus, IngestEvent, StoredIngestEvent } from "./event-bus.js";

/** How often changes by other processes are polled for. */
const POLL_MS = 250;
/** Greater than any `seq`. */
const MAX_SEQ = Number.MAX_SAFE_INTEGER;

export interface DoneOptions extends CallOptions {
  /** Throws `ingest_failed` if the job failed or was cancelled. @default false */
  readonly throwOnFailure?: boolean | undefined;
}

export interface FollowOptions extends CallOptions {
  /**
   * Yields only events with a higher `seq`.
   * @default 0; for a job that was ingested again, the `seq` of its last event before that
   */
  readonly after?: number | undefined;
}

export type IngestOutcome = "created" | "replaced" | "skipped" | "existing";

/** An item that was skipped because a document of the scope has the same content and config. */
export interface DuplicateItem {
  /** The index of the item in the payload, from 0. */
  readonly item: number;
  readonly name: string | null;
  /** The document with the same content. */
  readonly documentId: string;
}

/** The source of stored and live events. */
export interface EventSource {
  readonly storage: Storage;
  readonly events: EventBus;
}

/** A running job. `for await (const event of run)` follows it until it ends; `await run.done()` waits for its end. */
export class IngestRun<M> implements AsyncIterable<IngestEvent> {
  /** The job's id. */
  readonly id: string;
  /**
   * Whether `ingest` created a job, or replaced or skipped the job with the external id. `existing` for a run that
   * `watch` or `reingest` returns.
   */
  readonly outcome: IngestOutcome;
  readonly #source: EventSource;
  readonly #getJob: (options: CallOptions) => Promise<IngestJob<M>>;
  readonly #after: number;

  /** @internal */
  constructor(
    id: string,
    source: EventSource,
    {
      getJob,
      after,
      outcome = "existing",
    }: {
      readonly getJob: (options: CallOptions) => Promise<IngestJob<M>>;
      /** The `seq` of the last event before this run. */
      readonly after: number;
      /** @default "existing" */
      readonly outcome?: IngestOutcome;
    },
  ) {
    this.id = id;
    this.#source = source;
    this.#getJob = getJob;
    this.#after = after;
    this.outcome = outcome;
  }

  /**
   * Waits until the job has ended, and returns it as `COMPLETED`, `FAILED` or `CANCELLED`.
   * @throws KnowledgeBaseError `not_found` if the job was deleted; with `throwOnFailure`, `ingest_failed` unless the
   * job is `COMPLETED`
   */
  async done(options: DoneOptions = {}): Promise<IngestJob<M>> {
    const { signal, ...input } = options;
    const { throwOnFailure } = parseInput(doneSchema, input);
    await waitForJobEnd(this.#source, this.id, { signal });
    const job = await this.#getJob({ signal });
    if (throwOnFailure) requireCompleted(job);
    return job;
  }

  /** Returns the items that `dedupe` has skipped so far. The list is complete once the job has ended. */
  async duplicates(options: CallOptions = {}): Promise<readonly DuplicateItem[]> {
    const { events } = await readProgress(this.#source.storage, this.id, this.#after);
    options.signal?.throwIfAborted();
    return events.flatMap((event) => {
      if (event.type !== "document.skipped") return [];
      const { item, documentName: name, documentId } = event;
      return [{ item, name, documentId }];
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<IngestEvent> {
    return this.events()[Symbol.asyncIterator]();
  }

  /**
   * Yields the events of the job until it ends or is deleted, including stored events of earlier processes.
   * @throws KnowledgeBaseError `invalid_input`
   */
  async *events(options: FollowOptions = {}): AsyncGenerator<IngestEvent> {
    const { signal, ...input } = options;
    let { after = this.#after } = parseInput(followSchema, input);
    using waker = new Waker(signal);
    const unstored: IngestEvent[] = [];
    using _changes = this.#source.events.onJobChanged((jobId) => jobId === this.id && waker.wake());
    const enqueue = (event: IngestEvent) => {
      if (event.jobId !== this.id) return;
      unstored.push(event);
      waker.wake();
    };
    using _documentProgress = this.#source.events.on("document.progress", enqueue);
    using _crawlProgress = this.#source.events.on("crawl.progress", enqueue);
    while (true) {
      signal?.throwIfAborted();
      const { hasEnded, events } = await readProgress(this.#source.storage, this.id, after);
      for (const event of events) {
        after = event.seq;
        yield event;
      }
      if (hasEnded) return;
      yield* unstored.splice(0);
      await waker.wait(POLL_MS);
    }
  }
}

export type EndedJob = Pick<IngestJob, "id" | "status" | "error" | "counts">;

/**
 * Throws unless the job is `COMPLETED`.
 * @throws KnowledgeBaseError `ingest_failed` with the job's id, how many documents failed, and the first reason
 */
export function requireCompleted({ id, status, error, counts }: EndedJob): void {
  if (status === "COMPLETED") return;
  const { total, failed } = counts.documents;
  // With several documents, the job's error already contains the counts.
  const reason = total === 1 && failed === 1 ? `1 of 1 documents failed: ${error}` : error;
  const suffix = reason === null ? "" : `: ${reason}`;
  throw new KnowledgeBaseError("ingest_failed", `The ingest job ${id} is ${status}${suffix}`);
}

/** Waits until a job has ended or was deleted. */
export async function waitForJobEnd(source: EventSource, id: string, { signal }: CallOptions): Promise<void> {
  using waker = new Waker(signal);
  using _left = source.events.onJobLeft((jobId) => jobId === id && waker.wake());
  while (!(await readProgress(source.storage, id, MAX_SEQ)).hasEnded) {
    await waker.wait(POLL_MS);
    signal?.throwIfAborted();
  }
}

/** Waits for a call of `wake`, an abort or a timeout. A `wake` before the wait ends the wait at once. */
class Waker implements Disposable {
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.wake();
  #controller = new AbortController();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  [Symbol.dispose](): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  wake(): void {
    this.#controller.abort();
  }

  async wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#controller.signal }).catch(() => {});
    this.#controller = new AbortController();
  }
}

/** Reads whether a job has ended or was deleted, and its stored events after `after`, in one snapshot. */
async function readProgress(
  storage: Storage,
  jobId: string,
  after: number,
): Promise<{ readonly hasEnded: boolean; readonly events: readonly StoredIngestEvent[] }> {
  const { status, events } = await storage.events.getJobProgress({ jobId, after });
  return {
    hasEnded: status === null || !UNFINISHED_STATUSES.includes(status),
    events: events.map((event) => toIngestEvent(jobId, event)),
  };
}

/** Converts a stored event to the event that listeners receive. */
export function toIngestEvent(jobId: string, { seq, event: stored }: JobEvent): StoredIngestEvent {
  if (stored.type === "crawl.ended") return { ...stored, seq, jobId, pages: toCrawlCounts(stored.pages) };
  if (stored.type === "job.status") return { ...stored, seq, jobId };
  if (stored.type === "document.skipped") {
    const { name: documentName, ...skipped } = stored;
    return { ...skipped, seq, jobId, documentName };
  }
  const { name, ...rest } = stored;
  return { ...rest, seq, jobId, documentName: name };
}
