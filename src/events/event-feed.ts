import { type EventSource, toIngestEvent } from "./ingest-run.js";

/** Polling interval for events of other processes. */
const POLL_MS = 500;
/** How many jobs' last emitted events are remembered. */
const MAX_JOBS = 10_000;

/**
 * Emits the stored job events of all processes on the same directory, starting with the first listener. Each job is
 * read from its own last event on: events of different jobs need not be committed in the order of their numbers.
 */
export class EventFeed {
  readonly #source: EventSource;
  /** Of a job that is not in `#emitted`, events with higher numbers are new; `null` before the first read. */
  #start: number | null = null;
  #after = 0;
  /** `seq` of the last emitted event by job, in the order of emission. */
  readonly #emitted = new Map<string, number>();
  #watched: readonly string[] = [];
  #timer: NodeJS.Timeout | null = null;
  #changes: Disposable | null = null;
  #reading = false;

  private constructor(source: EventSource) {
    this.#source = source;
  }

  static async start(source: EventSource): Promise<EventFeed> {
    const feed = new EventFeed(source);
    if (source.events.hasJobListeners) await feed.#skipPast();
    feed.follow();
    return feed;
  }

  /** Starts polling if there is a listener. */
  follow(): void {
    if (this.#timer || !this.#source.events.hasJobListeners) return;
    this.#timer = setInterval(() => void this.#read(), POLL_MS);
    this.#timer.unref();
    this.#changes = this.#source.events.onJobChanged(() => void this.#read());
    // The first read only determines the latest events.
    void this.#read();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#changes?.[Symbol.dispose]();
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      if (this.#start === null) await this.#skipPast();
      else await this.#emitNew();
    } catch (error) {
      this.#source.events.emit({ type: "error", error });
    } finally {
      this.#reading = false;
    }
  }

  async #emitNew(): Promise<void> {
    const { storage, events } = this.#source;
    const { lastSeq, jobs, active } = await storage.events.changes({ after: this.#after, watched: this.#watched });
    for (const job of jobs) {
      const after = this.#emitted.get(job.jobId) ?? this.#start!;
      if (job.lastSeq <= after) continue;
      for (const event of (await storage.events.ofJob({ jobId: job.jobId, after })).events) {
        this.#setEmitted(job.jobId, event.seq);
        events.emit(toIngestEvent(job.jobId, event));
      }
    }
    // Only now: what an error has interrupted is read again.
    this.#after = lastSeq;
    this.#watched = active;
    this.#forgetOldest();
  }

  async #skipPast(): Promise<void> {
    const { events } = this.#source.storage;
    const { lastSeq, jobs, active } = await events.changes({ after: Number.MAX_SAFE_INTEGER, watched: [] });
    this.#start = lastSeq;
    for (const job of jobs) this.#setEmitted(job.jobId, job.lastSeq);
    this.#after = lastSeq;
    this.#watched = active;
  }

  #setEmitted(jobId: string, seq: number): void {
    this.#emitted.delete(jobId);
    this.#emitted.set(jobId, seq);
  }

  /** New events of a forgotten job have higher numbers than its last emitted one. */
  #forgetOldest(): void {
    for (const [jobId, seq] of this.#emitted) {
      if (this.#emitted.size <= MAX_JOBS) return;
      this.#emitted.delete(jobId);
      this.#start = Math.max(this.#start!, seq);
    }
  }
}
