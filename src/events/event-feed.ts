import { type EventSource, toIngestEvent } from "./ingest-run.js";

/** The interval at which events of other processes are polled for. */
const POLL_MS = 500;
/** The number of jobs whose last emitted event is remembered. */
const MAX_JOBS = 10_000;

/**
 * Emits the stored job events of all processes on the same directory, once there is a listener. Each job is read from
 * its own last event on, because events of different jobs may not be committed in the order of their `seq`.
 */
export class EventFeed {
  readonly #source: EventSource;
  /** Events of jobs that are not in `#emittedSeqs` are new if their `seq` is higher. `null` before the first read. */
  #startSeq: number | null = null;
  #lastSeq = 0;
  /** The `seq` of the last emitted event of each job, by job id, oldest emission first. */
  readonly #emittedSeqs = new Map<string, number>();
  #watchedJobIds: readonly string[] = [];
  #timer: NodeJS.Timeout | null = null;
  #subscription: Disposable | null = null;
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

  /** Starts to poll for events if there is a listener and polling hasn't started. */
  follow(): void {
    if (this.#timer || !this.#source.events.hasJobListeners) return;
    this.#timer = setInterval(() => void this.#read(), POLL_MS);
    this.#timer.unref();
    this.#subscription = this.#source.events.onJobChanged(() => void this.#read());
    // The first read emits nothing: it only finds out which events are the latest.
    void this.#read();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#subscription?.[Symbol.dispose]();
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
    const { lastSeq, jobs, active } = await storage.events.findChangedJobs({
      after: this.#lastSeq,
      watched: this.#watchedJobIds,
    });
    for (const job of jobs) {
      const after = this.#emittedSeqs.get(job.jobId) ?? this.#startSeq!;
      if (job.lastSeq <= after) continue;
      for (const event of (await storage.events.getJobProgress({ jobId: job.jobId, after })).events) {
        this.#recordEmitted(job.jobId, event.seq);
        events.emit(toIngestEvent(job.jobId, event));
      }
    }
    // Only after the events have been emitted, so that they are read again after an error.
    this.#lastSeq = lastSeq;
    this.#watchedJobIds = active;
    this.#forgetOldest();
  }

  async #skipPastEvents(): Promise<void> {
    const { events } = this.#source.storage;
    const { lastSeq, jobs, active } = await events.findChangedJobs({ after: Number.MAX_SAFE_INTEGER, watched: [] });
    this.#startSeq = lastSeq;
    for (const job of jobs) this.#recordEmitted(job.jobId, job.lastSeq);
    this.#lastSeq = lastSeq;
    this.#watchedJobIds = active;
  }

  #recordEmitted(jobId: string, seq: number): void {
    this.#emittedSeqs.delete(jobId);
    this.#emittedSeqs.set(jobId, seq);
  }

  /** Raises `#startSeq` to the last emitted `seq` of each forgotten job, so that only later events count as new. */
  #forgetOldest(): void {
    for (const [jobId, seq] of this.#emittedSeqs) {
      if (this.#emittedSeqs.size <= MAX_JOBS) return;
      this.#emittedSeqs.delete(jobId);
      this.#startSeq = Math.max(this.#startSeq!, seq);
    }
  }
}
