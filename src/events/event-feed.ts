import { type EventParts, toIngestEvent } from "./ingest-run.js";

/** How often the feed looks for what other processes have done. */
const POLL_MS = 500;

/** Tells listeners of jobs what happens to them, in this process and in others on the same directory, from the first listener on. */
export class EventFeed {
  readonly #source: EventParts;
  /** The last event that was told; null until the place to begin at is known. */
  #after: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  #changes: Disposable | null = null;
  #reading = false;

  private constructor(source: EventParts) {
    this.#source = source;
  }

  static async start(source: EventParts): Promise<EventFeed> {
    const feed = new EventFeed(source);
    if (source.events.followed) await feed.#skipPast();
    feed.follow();
    return feed;
  }

  /** Begins to read events once somebody listens. */
  follow(): void {
    if (this.#timer || !this.#source.events.followed) return;
    this.#timer = setInterval(() => void this.#read(), POLL_MS);
    this.#timer.unref();
    this.#changes = this.#source.events.onJobChanged(() => void this.#read());
    // The first look only finds out what is past already.
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
