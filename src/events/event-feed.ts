import { type EventSource, toIngestEvent } from "./ingest-run.js";

/** Polling interval for events of other processes. */
const POLL_MS = 500;

/** Emits the stored job events of all processes on the same directory, starting with the first listener. */
export class EventFeed {
  readonly #source: EventSource;
  /** `seq` of the last emitted event; `null` until the start is known. */
  #after: number | null = null;
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
    // The first read only determines the latest event.
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
      if (this.#after === null) return await this.#skipPast();
      const rows = await this.#source.storage.events.after({ after: this.#after });
      for (const row of rows) {
        this.#after = row.seq;
        this.#source.events.emit(toIngestEvent(row));
      }
    } catch (error) {
      this.#source.events.emit({ type: "error", error });
    } finally {
      this.#reading = false;
    }
  }

  async #skipPast(): Promise<void> {
    this.#after = await this.#source.storage.events.last();
  }
}
