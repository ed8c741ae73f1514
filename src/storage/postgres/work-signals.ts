import type { Client } from "pg";
import type { WorkSignals } from "../work-signals.js";
import { openClient } from "./open-pools.js";
import type { PostgresDatabase } from "./postgres-database.js";

const CHANNEL = "lorebase_work";
/** Notifications take a lock of the whole server. */
const MIN_INTERVAL_MS = 50;
const RECONNECT_MS = 5000;

/**
 * Signals by LISTEN and NOTIFY. A notification is sent after the commit, by a transaction of its own and without content.
 * A listener has a connection of its own. Behind a pooler that assigns connections per transaction, none arrives.
 */
export class PostgresWorkSignals implements WorkSignals {
  readonly #database: PostgresDatabase;
  readonly #url: string;
  readonly #onError: (error: unknown) => void;
  #sentAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(database: PostgresDatabase, url: string, onError: (error: unknown) => void) {
    this.#database = database;
    this.#url = url;
    this.#onError = onError;
  }

  send(): void {
    if (this.#timer) return;
    const waitMs = this.#sentAt + MIN_INTERVAL_MS - performance.now();
    if (waitMs <= 0) void this.#notify();
    else this.#timer = setTimeout(() => void this.#notify(), waitMs).unref();
  }

  listen(listener: () => void): Disposable {
    let client: Client | null = null;
    let timer: NodeJS.Timeout | null = null;
    let isDisposed = false;
    const connectLater = () => {
      if (!isDisposed) timer ??= setTimeout(() => void connect(), RECONNECT_MS).unref();
    };
    const connect = async () => {
      timer = null;
      const opened = await openClient(this.#url);
      client = opened;
      opened.on("error", connectLater).on("end", connectLater).on("notification", listener);
      try {
        await opened.connect();
        await opened.query(`LISTEN ${CHANNEL}`);
        if (isDisposed) await opened.end();
      } catch {
        // Only hints are missed until the next attempt. A standby accepts the connection and refuses LISTEN.
        opened.end().catch(() => {});
        connectLater();
      }
    };
    void connect();
    return {
      [Symbol.dispose]() {
        isDisposed = true;
        if (timer) clearTimeout(timer);
        client?.end().catch(() => {});
      },
    };
  }

  async #notify(): Promise<void> {
    this.#timer = null;
    this.#sentAt = performance.now();
    try {
      await this.#database.runAlone(function* (tx) {
        yield* tx.run(`NOTIFY ${CHANNEL}`);
      });
    } catch (error) {
      this.#onError(error);
    }
  }
}
