import { createHash } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, openSync, readSync } from "node:fs";
import type { Connection } from "./connection.js";
import type { SqliteDriver } from "./sqlite-driver.js";
import type { CopiedDatabase } from "./thread-protocol.js";

/** The size of one step. Between two steps, the thread sleeps as the rate demands. */
const STEP_BYTES = 1024 * 1024;

interface CopyOptions {
  /** The path of a file that doesn't exist. */
  readonly target: string;
  readonly bytesPerSecond: number;
  readonly signal: AbortSignal;
}

/**
 * Copies a database, as the connection's open transaction sees it, to a new file outside of WAL mode, which needs no
 * other files. Flushes the file to disk and reads it again for its hash. Blocks the thread, except between two steps.
 */
export async function copyDatabase(
  connection: Connection,
  driver: SqliteDriver,
  { target, bytesPerSecond, signal }: CopyOptions,
): Promise<CopiedDatabase> {
  const pages = Math.max(1, Math.floor(STEP_BYTES / (connection.pragma("page_size", { simple: true }) as number)));
  let previousEnd = performance.now();
  const afterStep = () => {
    signal.throwIfAborted();
    sleep((STEP_BYTES / bytesPerSecond) * 1000 - (performance.now() - previousEnd));
    previousEnd = performance.now();
  };
  await driver.copy(connection, target, { pages, afterStep });
  signal.throwIfAborted();
  leaveWalMode(driver, target);
  return hashAndFlush(target, afterStep);
}

function leaveWalMode(driver: SqliteDriver, path: string): void {
  const copy = driver.open(path, { readonly: false, timeout: 0 });
  try {
    copy.pragma("journal_mode = DELETE");
  } finally {
    copy.close();
  }
}

function hashAndFlush(path: string, afterStep: () => void): CopiedDatabase {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(STEP_BYTES);
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
    for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer)) {
      hash.update(buffer.subarray(0, read));
      afterStep();
    }
    return { bytes: fstatSync(descriptor).size, sha256: hash.digest("hex") };
  } finally {
    closeSync(descriptor);
  }
}

function sleep(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
