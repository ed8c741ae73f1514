import type { Engine } from "./engine.js";
import { toIngestEvent } from "./ingest-run.js";

/** How often the feed looks for what other processes have done. */
const POLL_MS = 500;

/** Tells listeners of jobs what happens to them, in this process and in others on the same directory, from its start on. */
export class EventFeed {
  readonly #engine: Engine;
  #after: number;
  #timer: NodeJS.Timeout | null = null;
  #changes: Disposable | null = null;
  #reading = false;

  private constructor(engine: Engine, after: number) {
    this.#engine = engine;
    this.#after = after;
  }

  static async start(engine: Engine): Promise<EventFeed> {
    const [row] = await engine.database.read<{ seq: number | null }>({ sql: "SELECT max(seq) AS seq FROM events" });
    const feed = new EventFeed(engine, row?.seq ?? 0);
    feed.follow();
    return feed;
  }

  /** Begins to read events once somebody listens. */
  follow(): void {
    if (this.#timer || !this.#engine.events.followed) return;
    this.#timer = setInterval(() => void this.#read(), POLL_MS);
    this.#timer.unref();
    this.#changes = this.#engine.events.onJobChanged(() => void this.#read());
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#changes?.[Symbol.dispose]();
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const rows = await this.#engine.database.read<{ seq: number; ingest_job_id: string; data: string }>({
        sql: "SELECT seq, ingest_job_id, data FROM events WHERE seq > ? ORDER BY seq LIMIT 1000",
        parameters: [this.#after],
      });
      for (const { seq, ingest_job_id, data } of rows) {
        this.#after = seq;
        this.#engine.events.emit(toIngestEvent(ingest_job_id, JSON.parse(data)));
      }
    } catch (error) {
      this.#engine.events.emit({ type: "error", error });
    } finally {
      this.#reading = false;
    }
  }
}
