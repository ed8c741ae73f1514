import type { Connection } from "./connection.js";
import type { SqliteDriver } from "./sqlite-driver.js";

/** The size of one step, unless the rate is so low that less takes longer. Between two steps, the thread sleeps. */
const MAX_STEP_BYTES = 1024 * 1024;
/** The maximum time of a step at the given rate. The thread answers no requests meanwhile. */
const MAX_STEP_SECONDS = 0.05;

interface CopyOptions {
  /** The path of a file that doesn't exist. */
  readonly target: string;
  readonly bytesPerSecond: number;
  readonly signal: AbortSignal;
}

/**
 * Copies a database, as the connection's open transaction sees it, to a new file outside of WAL mode, which needs no
 * other files. It isn't flushed to disk. Blocks the thread, except between two steps.
 */
export async function copyDatabase(
  connection: Connection,
  driver: SqliteDriver,
  { target, bytesPerSecond, signal }: CopyOptions,
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
  leaveWalMode(driver, target);
}

function leaveWalMode(driver: SqliteDriver, path: string): void {
  const copy = driver.open(path, { readonly: false, timeout: 0 });
  try {
    copy.pragma("journal_mode = DELETE");
  } finally {
    copy.close();
  }
}

function sleep(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
