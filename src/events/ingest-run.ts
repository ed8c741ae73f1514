import { setTimeout as sleep } from "node:timers/promises";
import { KnowledgeBaseError } from "../errors.js";
import type { JobEvent } from "../storage/records/events.js";
import { UNFINISHED } from "../storage/records/status-table.js";
import type { Storage } from "../storage/storage.js";
import type { CallOptions, IngestJob } from "../types.js";
import { doneSchema, followSchema } from "../validation/ingest-job-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { toCrawlCounts } from "./crawl-counts.js";
import type { EventBus, IngestEvent, StoredIngestEvent } from "./event-bus.js";

/** Polling interval for changes by other processes. */
const POLL_MS = 250;
/** Greater than any `seq`. */
const MAX_SEQ = Number.MAX_SAFE_INTEGER;

export interface DoneOptions extends CallOptions {
  /** Throws `ingest_failed` if the job failed or was cancelled. @default false */
  readonly throwOnFailure?: boolean | undefined;
}

export interface FollowOptions extends CallOptions {
  /**
   * Leaves out events up to this `seq`.
   * @default 0; for a job that was ingested again, that of its last event before
   */
  readonly after?: number | undefined;
}

export type IngestOutcome = "created" | "replaced" | "skipped" | "existing";

/** An item that was skipped, since a document of the scope has the same content and config. */
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
   * What `ingest` did: created a job, or replaced or skipped the one with the external id. `existing` for a run of
   * `watch` or `reingest`.
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
      job,
      after,
      outcome = "existing",
    }: {
      readonly job: (options: CallOptions) => Promise<IngestJob<M>>;
      /** The `seq` of the last event before this run. */
      readonly after: number;
      /** @default "existing" */
      readonly outcome?: IngestOutcome;
    },
  ) {
    this.id = id;
    this.#source = source;
    this.#getJob = job;
    this.#after = after;
    this.outcome = outcome;
  }

  /**
   * Waits until the job has ended, and returns it: `COMPLETED`, `FAILED` or `CANCELLED`.
   * @throws KnowledgeBaseError `not_found` if the job was deleted; with `throwOnFailure`, `ingest_failed` unless it is
   * `COMPLETED`
   */
  async done(options: DoneOptions = {}): Promise<IngestJob<M>> {
    const { signal, ...input } = options;
    const { throwOnFailure } = parseInput(doneSchema, input);
    await waitForJobEnd(this.#source, this.id, { signal });
    const job = await this.#getJob({ signal });
    if (throwOnFailure) requireCompleted(job);
    return job;
  }

  /** The items that `dedupe` has skipped so far, with the documents of the same content. Complete once it has ended. */
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
   * The events of the job until it ends or is deleted, including stored ones of earlier processes.
   * @throws KnowledgeBaseError `invalid_input`
   */
  async *events(options: FollowOptions = {}): AsyncGenerator<IngestEvent> {
    const { signal, ...input } = options;
    let { after = this.#after } = parseInput(followSchema, input);
    using waker = new Waker(signal);
    const progress: IngestEvent[] = [];
    using _changes = this.#source.events.onJobChanged((jobId) => jobId === this.id && waker.wake());
    const queue = (event: IngestEvent) => {
      if (event.jobId !== this.id) return;
      progress.push(event);
      waker.wake();
    };
    using _progress = this.#source.events.on("document.progress", queue);
    using _pages = this.#source.events.on("crawl.progress", queue);
    while (true) {
      signal?.throwIfAborted();
      const { ended, events } = await readProgress(this.#source.storage, this.id, after);
      for (const event of events) {
        after = event.seq;
        yield event;
      }
      if (ended) return;
      yield* progress.splice(0);
      await waker.wait(POLL_MS);
    }
  }
}

export type EndedJob = Pick<IngestJob, "id" | "status" | "error" | "counts">;

/** @throws KnowledgeBaseError `ingest_failed` with the job's id, how many documents failed and the first reason */
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
  using _ends = source.events.onRunEnded((jobId) => jobId === id && waker.wake());
  while (!(await readProgress(source.storage, id, MAX_SEQ)).ended) {
    await waker.wait(POLL_MS);
    signal?.throwIfAborted();
  }
}

/** Waits for a call of `wake`, an abort or a timeout. A call before the wait is not lost. */
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

/** Reads in one snapshot whether a job has ended or was deleted, and its stored events after `after`. */
async function readProgress(
  storage: Storage,
  jobId: string,
  after: number,
): Promise<{ readonly ended: boolean; readonly events: readonly StoredIngestEvent[] }> {
  const { status, events } = await storage.events.ofJob({ jobId, after });
  return {
    ended: status === null || !UNFINISHED.includes(status),
    events: events.map((event) => toIngestEvent(jobId, event)),
  };
}

/** Converts a stored event to the one that listeners get. */
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
