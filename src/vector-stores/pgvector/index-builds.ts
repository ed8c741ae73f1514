import { getErrorMessage } from "../../errors.js";
import { createHnswIndex, indexName } from "./hnsw-index.js";
import type { Sessions } from "./sessions.js";

/** After a failure, how long searches stay exact before the next attempt. */
const RETRY_MS = 10 * 60_000;
/** While another process builds, how long until the next look. */
const LOOK_AGAIN_MS = 30_000;

/** Creates HNSW indexes beside the searches that need them. */
export class IndexBuilds {
  readonly #sessions: Sessions;
  readonly #onWarning: (message: string) => void;
  readonly #onBuilt: () => void;
  readonly #running = new Map<number, Promise<void>>();
  /** The earliest time of the next attempt. */
  readonly #pausedUntil = new Map<number, number>();
  #isClosed = false;

  /** @param onBuilt Called when an index exists */
  constructor(sessions: Sessions, onWarning: (message: string) => void, onBuilt: () => void) {
    this.#onBuilt = onBuilt;
    this.#sessions = sessions;
    this.#onWarning = onWarning;
  }

  /** Starts the build of an index, unless it runs, here or in another process, or has just failed. */
  start(dimensions: number): void {
    const pausedUntil = this.#pausedUntil.get(dimensions) ?? 0;
    if (this.#isClosed || this.#running.has(dimensions) || performance.now() < pausedUntil) return;
    const build = this.#build(dimensions).finally(() => this.#running.delete(dimensions));
    this.#running.set(dimensions, build);
  }

  /** Waits for the builds that have started. */
  async settle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Starts no more builds, and reports no failures. */
  close(): void {
    this.#isClosed = true;
  }

  async #build(dimensions: number): Promise<void> {
    try {
      const exists = await this.#sessions.withOwnConnection((session) => createHnswIndex(session, dimensions));
      if (exists) this.#onBuilt();
      else this.#pausedUntil.set(dimensions, performance.now() + LOOK_AGAIN_MS);
    } catch (error) {
      if (this.#isClosed) return;
      this.#pausedUntil.set(dimensions, performance.now() + RETRY_MS);
      this.#onWarning(
        `The index ${indexName(dimensions)} could not be created, so large scopes are searched exactly, which is slower: ` +
          `${getErrorMessage(error)}. It is tried again in ten minutes.`,
      );
    }
  }
}
