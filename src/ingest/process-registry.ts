import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { RegisteredProcess } from "../storage/records/tasks.js";
import type { Storage } from "../storage/storage.js";

export function currentProcess(): RegisteredProcess {
  return { id: `${randomUUID()}.${startTimeOf(process.pid)}`, host: `${hostname()} ${bootId()}`, pid: process.pid };
}

/**
 * The crashed processes of this machine: their tasks don't have to wait for the lease to expire. A process of another
 * machine or container is only judged by its lease.
 */
export async function findDeadProcesses(storage: Storage, self: RegisteredProcess): Promise<readonly string[]> {
  const rows = await storage.processes.list({ since: 0 });
  return rows
    .filter(({ id, host, pid }) => id !== self.id && host === self.host && !isAlive(id, pid))
    .map(({ id }) => id);
}

/** Compares the start time too, because process ids are reused (a container's first process always has the same). */
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
 * When a process of this machine started, in ticks since its boot: field 22 of `/proc/<pid>/stat`, counted after the
 * name in parentheses. Empty if it is unknown.
 */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

/** Changes with every boot, after which all process ids are invalid. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Not Linux: there, a reused process id makes a task wait for its lease.
    return "";
  }
}
