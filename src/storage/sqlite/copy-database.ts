import { forgetUnusedStores } from "../records/unused-vectors.js";
import type { Connection } from "./connection.js";
import type { SqliteDriver } from "./sqlite-driver.js";
import { runNow, SqliteTx } from "./sqlite-tx.js";
import { Statements } from "./statements.js";

/** The size of one step, unless the rate is so low that less takes longer. Between two steps, the thread sleeps. */
const MAX_STEP_BYTES = 1024 * 1024;
/** The maximum time of a step at the given rate. The thread answers no requests meanwhile. */
const MAX_STEP_SECONDS = 0.05;

interface CopyOptions {
  /** The path of a file that doesn't exist. */
  readonly target: string;
  readonly bytesPerSecond: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Copies a database, as the connection's open transaction sees it, to a new file outside of WAL mode, which needs no
 * other files. In it, vectors that searches don't use and that are in a vector store count as not sent yet. It isn't flushed to
 * disk. Blocks the thread, except between two steps.
 */
export async function copyDatabase(
  connection: Connection,
  driver: SqliteDriver,
  { target, bytesPerSecond, now, signal }: CopyOptions,
): Promise<void> {
  const pageBytes = connection.pragma("page_size", { simple: true }) as number;
  const stepBytes = Math.max(pageBytes, Math.min(MAX_STEP_BYTES, bytesPerSecond * MAX_STEP_SECONDS));
  let previousEnd = performance.now();
  const afterStep = () => {
    signal.throwIfAborted();
    sleep((stepBytes / bytesPerSecond) * 1000 - (performance.now() - previousEnd));
    previousEnd = performance.now();
  };
  await driver.copy(connection, target, { pages: Math.floor(stepBytes / pageBytes), afterStep });
  signal.throwIfAborted();
  completeCopy(driver, target, now);
}

function completeCopy(driver: SqliteDriver, path: string, now: number): void {
  const copy = driver.open(path, { readonly: false, timeout: 0 });
  try {
    copy.pragma("journal_mode = DELETE");
    const statements = new Statements(copy);
    statements.run("BEGIN");
    runNow(forgetUnusedStores(new SqliteTx(statements), { now }));
    statements.run("COMMIT");
  } finally {
    copy.close();
  }
}

function sleep(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
