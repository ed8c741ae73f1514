import { getErrorMessage } from "../../errors.js";
import { createHnswIndex, indexName } from "./hnsw-index.js";
import type { Sessions } from "./sessions.js";

/** After a failure, how long searches stay exact before the next attempt. */
const RETRY_MS = 10 * 60_000;

/** Creates HNSW indexes beside the searches that need them. */
export class IndexBuilds {
  readonly #sessions: Sessions;
  readonly #onWarning: (message: string) => void;
  readonly #running = new Map<number, Promise<void>>();
  /** When the last attempt failed. */
  readonly #failedAt = new Map<number, number>();
  #isClosed = false;

  constructor(sessions: Sessions, onWarning: (message: string) => void) {
    this.#sessions = sessions;
    this.#onWarning = onWarning;
  }

  /** Starts the build of an index, unless it runs or has just failed. */
  start(dimensions: number): void {
    const failedAt = this.#failedAt.get(dimensions) ?? Number.NEGATIVE_INFINITY;
    if (this.#isClosed || this.#running.has(dimensions) || performance.now() - failedAt < RETRY_MS) return;
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
      await this.#sessions.withOwnConnection((session) => createHnswIndex(session, dimensions));
    } catch (error) {
      if (this.#isClosed) return;
      this.#failedAt.set(dimensions, performance.now());
      this.#onWarning(
        `The index ${indexName(dimensions)} could not be created, so large scopes are searched exactly, which is slower: ` +
          `${getErrorMessage(error)}. It is tried again in ten minutes.`,
      );
    }
  }
}
