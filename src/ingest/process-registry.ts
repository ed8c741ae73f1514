import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { RegisteredProcess } from "../storage/records/tasks.js";
import type { Storage } from "../storage/storage.js";

/** Describes this process with a new random id. */
export function currentProcess(): RegisteredProcess {
  return { id: `${randomUUID()}.${startTimeOf(process.pid)}`, host: `${hostname()} ${bootId()}`, pid: process.pid };
}

/**
 * Returns the ids of crashed processes of this machine, whose tasks can be claimed before their leases expire. A
 * process of another machine or container counts as dead only when its lease has expired.
 */
export async function findDeadProcesses(storage: Storage, self: RegisteredProcess): Promise<readonly string[]> {
  const rows = await storage.processes.list({ since: 0 });
  return rows
    .filter(({ id, host, pid }) => id !== self.id && host === self.host && !isAlive(id, pid))
    .map(({ id }) => id);
}

/** Compares start times too, because process ids are reused: a container's first process always has the same one. */
function isAlive(id: string, pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const start = startTimeOf(pid);
  return start === "" || id.endsWith(`.${start}`);
}

/**
 * Returns when a process of this machine started, in clock ticks since boot: field 22 of `/proc/<pid>/stat`, counted
 * from the end of the name in parentheses. Returns an empty string if the time is unknown.
 */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

/** Returns an id that changes with every boot, which invalidates all process ids; empty if it is unknown. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Only Linux has the file. Elsewhere, a task whose process id was reused waits until its lease expires.
    return "";
  }
}
