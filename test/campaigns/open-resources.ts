import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";

const DESCRIPTORS = "/proc/self/fd";

/** What this process holds of the system. */
export interface OpenResources {
  /** Open files and sockets; null where the system does not tell. */
  readonly descriptors: number | null;
  /** Timers, pipes, children and the like that Node waits for, in order. */
  readonly active: readonly string[];
}

export async function openResources(): Promise<OpenResources> {
  // Before a look at the folder opens it.
  const active = process.getActiveResourcesInfo().sort();
  if (!existsSync(DESCRIPTORS)) return { descriptors: null, active };
  return { descriptors: (await readdir(DESCRIPTORS)).length, active };
}

/** What this process and those that it started keep in memory, in MB; of the latter, one number each. */
export async function residentMb(): Promise<{ readonly own: number; readonly children: readonly number[] }> {
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
  return { own: megabytes(process.memoryUsage.rss()), children: (await childrenBytes()).map(megabytes) };
}

function childrenBytes(): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const ps = execFile("ps", ["-A", "-o", "pid=,ppid=,rss="], (error, stdout) => {
      if (error) return reject(error);
      const processes = stdout
        .trim()
        .split("\n")
        .map((line) => line.trim().split(/\s+/).map(Number) as [number, number, number]);
      resolve(
        processes
          .filter(([pid, parent]) => parent === process.pid && pid !== ps.pid)
          .map(([, , kilobytes]) => kilobytes * 1024),
      );
    });
  });
}
