import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import * as postgres from "./postgres-server.js";

const RUN = "LOREBASE_TEST_RUN";
const MEMORY = "/dev/shm";
/** Files of a whole run at a time, and the memory that its processes need beside them. */
const NEEDED_BYTES = 8 * 1024 ** 3;

/**
 * Before a run of the tests: makes the directory for all temporary files of the run, in memory where there is enough of
 * it, since databases wait for a disk after each transaction.
 */
export function setup(): void {
  // Vitest calls this for each project.
  if (process.env[RUN]) return;
  const directory = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), "lorebase-run-"));
  // As what it replaces, for users whose processes tests start.
  chmodSync(directory, 0o1777);
  process.env[RUN] = directory;
  process.env.TMPDIR = directory;
  postgres.setup();
}

/** After the run: stops what it started and removes the directory. @throws if tests left something in it */
export async function teardown(): Promise<void> {
  const directory = process.env[RUN];
  if (!directory) return;
  delete process.env[RUN];
  await postgres.teardown();
  // Where tsx keeps what it compiles.
  const left = readdirSync(directory).filter((name) => !name.startsWith("tsx-"));
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  if (left.length > 0)
    throw new Error(`Tests left in the temporary directory: ${left.join(", ")}. Remove it after each.`);
}

/** Whether this machine has a file system in memory that is large enough and can hold programs. */
function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, freemem()) < NEEDED_BYTES) return false;
    const program = join(mkdtempSync(join(MEMORY, "lorebase-try-")), "try.sh");
    try {
      writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
      execFileSync(program);
    } finally {
      rmSync(join(program, ".."), { recursive: true });
    }
    return true;
  } catch {
    return false;
  }
}
