import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

const SAMPLE_MS = 100;
/** Where asking starts a program. */
const SLOW_SAMPLE_MS = 1000;

/**
 * Looks at what a process holds (its resident set) while it is watched, and says when that is above a limit. Node itself does not survive
 * a small limit on its address space, so the limit is kept from outside.
 */
export function watchMemory(
  pid: number | undefined,
  maxBytes: number,
  onOver: () => void,
): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | null = null;
  const look = async () => {
    const bytes = pid === undefined ? 0 : await residentBytes(pid);
    if (timer && bytes > maxBytes) onOver();
  };
  return {
    start() {
      timer ??= setInterval(() => void look(), process.platform === "linux" ? SAMPLE_MS : SLOW_SAMPLE_MS).unref();
    },
    stop() {
      if (timer) clearInterval(timer);
      timer = null;
    },
  };
}

/** Of a process, in bytes; 0 where it has ended, and where the system has no way to tell. */
async function residentBytes(pid: number): Promise<number> {
  try {
    if (process.platform === "linux") {
      const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
      return Number(kilobytes) * 1024;
    }
    if (process.platform === "win32") return 0;
    return await new Promise<number>((resolve) => {
      execFile("ps", ["-o", "rss=", "-p", String(pid)], (error, output) => resolve(error ? 0 : Number(output) * 1024));
    });
  } catch {
    // It has ended between two looks.
    return 0;
  }
}
