import { spawnSync } from "node:child_process";
import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The total size of all files in a folder, in bytes. */
export function sizeOf(directory: string): number {
  return filesIn(directory).reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Evicts the files of a folder from the page cache. Returns false if `dd` does not support it. */
export function evictFromPageCache(directory: string): boolean {
  return filesIn(directory).every((path) => {
    return spawnSync("dd", [`if=${path}`, "iflag=nocache", "count=0"], { stdio: "ignore" }).status === 0;
  });
}

/** Loads the files of a folder into the page cache, if there is room. */
export async function loadIntoPageCache(directory: string): Promise<void> {
  for (const path of filesIn(directory)) for await (const _ of createReadStream(path, { highWaterMark: 2 ** 20 }));
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
