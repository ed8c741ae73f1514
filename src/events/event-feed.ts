import { type EventSource, toIngestEvent } from "./ingest-run.js";

/** Polling interval for events of other processes. */
const POLL_MS = 500;
/** How many jobs' last emitted events are remembered. */
const MAX_JOBS = 10_000;

/**
 * Emits the stored job events of all processes on the same directory, once there is a listener. Each job is
 * read from its own last event on: events of different jobs may be committed in another order than that of their `seq`.
 */
export class EventFeed {
  readonly #source: EventSource;
  /** For a job that is not in `#emitted`, events with a higher `seq` are new. `null` before the first read. */
  #startSeq: number | null = null;
  #lastSeq = 0;
  /** `seq` of the last emitted event by job, in the order of emission. */
  readonly #emitted = new Map<string, number>();
  #watched: readonly string[] = [];
  #timer: NodeJS.Timeout | null = null;
  #changes: Disposable | null = null;
  #isReading = false;

  private constructor(source: EventSource) {
    this.#source = source;
  }

  static async start(source: EventSource): Promise<EventFeed> {
    const feed = new EventFeed(source);
    if (source.events.hasJobListeners) await feed.#skipPastEvents();
    feed.follow();
    return feed;
  }

  /** Starts polling if there is a listener. */
  follow(): void {
    if (this.#timer || !this.#source.events.hasJobListeners) return;
    this.#timer = setInterval(() => void this.#read(), POLL_MS);
    this.#timer.unref();
    this.#changes = this.#source.events.onJobChanged(() => void this.#read());
    // The first read only determines which events are the latest.
    void this.#read();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#changes?.[Symbol.dispose]();
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      if (this.#startSeq === null) await this.#skipPastEvents();
      else await this.#emitNew();
    } catch (error) {
      this.#source.events.emit({ type: "error", error });
    } finally {
      this.#isReading = false;
    }
  }

  async #emitNew(): Promise<void> {
    const { storage, events } = this.#source;
    const { lastSeq, jobs, active } = await storage.events.changes({ after: this.#lastSeq, watched: this.#watched });
    for (const job of jobs) {
      const after = this.#emitted.get(job.jobId) ?? this.#startSeq!;
      if (job.lastSeq <= after) continue;
      for (const event of (await storage.events.ofJob({ jobId: job.jobId, after })).events) {
        this.#setEmitted(job.jobId, event.seq);
        events.emit(toIngestEvent(job.jobId, event));
      }
    }
    // Set only now, so that the events are read again after an error.
    this.#lastSeq = lastSeq;
    this.#watched = active;
    this.#forgetOldest();
  }

  async #skipPastEvents(): Promise<void> {
    const { events } = this.#source.storage;
    const { lastSeq, jobs, active } = await events.changes({ after: Number.MAX_SAFE_INTEGER, watched: [] });
    this.#startSeq = lastSeq;
    for (const job of jobs) this.#setEmitted(job.jobId, job.lastSeq);
    this.#lastSeq = lastSeq;
    this.#watched = active;
  }

  #setEmitted(jobId: string, seq: number): void {
    this.#emitted.delete(jobId);
    this.#emitted.set(jobId, seq);
  }

  /** Raises `#startSeq` to the last emitted `seq` of each forgotten job, so that only later events count as new. */
  #forgetOldest(): void {
    for (const [jobId, seq] of this.#emitted) {
      if (this.#emitted.size <= MAX_JOBS) return;
      this.#emitted.delete(jobId);
      this.#startSeq = Math.max(this.#startSeq!, seq);
    }
  }
}
