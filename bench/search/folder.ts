import { spawnSync } from "node:child_process";
import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Bytes of all files in a folder. */
export function sizeOf(directory: string): number {
  return filesIn(directory).reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Has the system forget what it keeps of a folder's files in memory; false where its `dd` can't. */
export function dropFromCache(directory: string): boolean {
  return filesIn(directory).every((path) => {
    return spawnSync("dd", [`if=${path}`, "iflag=nocache", "count=0"], { stdio: "ignore" }).status === 0;
  });
}

/** Has the system keep a folder's files in memory, should there be room for them. */
export async function bringIntoCache(directory: string): Promise<void> {
  for (const path of filesIn(directory)) for await (const _ of createReadStream(path, { highWaterMark: 2 ** 20 }));
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
